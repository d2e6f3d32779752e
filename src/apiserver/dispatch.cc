// From a verb on a resource to its handler.
#include <array>

#include "apiserver/handlers/handlers.h"
#include "apiserver/lanes/enter_lane.h"
#include "apiserver/respond.h"
#include "apiserver/server.h"
#include "apiserver/watch_stream.h"

namespace chandler::apiserver {
namespace {

using registry::Verb;

// What the path of a request may name.
enum class Names { kObject, kCollection, kEither };

struct Route {
  std::string_view verb;
  Verb needs;
  Handler handler;
  Names names;
  bool waits;  // for the store
};

constexpr std::array kRoutes = {
    Route{"get", Verb::kGet, handle_get, Names::kObject, false},
    Route{"list", Verb::kList, handle_list, Names::kCollection, false},
    Route{"watch", Verb::kWatch, handle_watch, Names::kEither, false},  // of one object: /watch/.../NAME
    Route{"create", Verb::kCreate, handle_create, Names::kCollection, true},
    Route{"update", Verb::kUpdate, handle_update, Names::kObject, true},
    Route{"patch", Verb::kPatch, handle_patch, Names::kObject, true},
    Route{"delete", Verb::kDelete, handle_delete, Names::kObject, true},
    Route{"deletecollection", Verb::kDeleteCollection, handle_delete_collection, Names::kCollection, true},
};

bool fits(Names names, const RequestInfo& info) {
  return names == Names::kEither || (names == Names::kObject) == info.name_in_path;
}

// Subresources whose verbs work on the object itself, limited to a part of it.
bool is_part(const Call& call) {
  const bool is_namespace = call.kind->group.empty() && call.kind->plural == "namespaces";
  return (call.info.subresource == "status" && call.version->has_status) ||
         (call.info.subresource == "finalize" && is_namespace);
}

// The object in another form: autoscaling/v1 Scale.
bool is_scale(const Call& call) { return call.info.subresource == "scale" && call.version->scale.has_value(); }

bool is_token_request(const Call& call) {
  return call.info.subresource == "token" && call.kind->group.empty() && call.kind->plural == "serviceaccounts";
}

// Where the URL and the kind disagree about being in a namespace, nothing is there. Rights in a namespace reach one
// object of the cluster scope: the namespace itself.
bool scope_fits(const Call& call) {
  const auto& info = call.info;
  const bool across = info.verb == "list" || info.verb == "watch";
  if (call.kind->namespaced) return !info.ns.empty() || (across && !info.name_in_path);
  const bool is_namespace = call.kind->group.empty() && call.kind->plural == "namespaces";
  return info.ns.empty() || (is_namespace && info.name_in_path && info.name == info.ns);
}

}  // namespace

void ApiServer::dispatch(const CallPtr& call) const {
  const auto& info = call->info;
  const auto refuse = [&] { respond_error(services_, *call, method_not_allowed(call->kind->ref(), info.verb)); };
  const auto missing = [&] {
    if (!call->kind->crd_uid.empty()) {
      // Names the object, as upstream does for custom resources.
      return respond_error(services_, *call, not_found(call->kind->ref(info.name)));
    }
    Error error = not_found({});
    error.message = "the server could not find the requested resource";
    respond_error(services_, *call, error);
  };
  if (!scope_fits(*call)) {
    if (!call->kind->crd_uid.empty()) return handle_path(services_, call);  // nothing is at such a path
    const bool changes_collection = info.verb == "create" || info.verb == "deletecollection";
    return call->kind->namespaced && changes_collection ? refuse() : missing();
  }
  if (!info.subresource.empty() && is_token_request(*call)) {
    return info.verb == "create" ? handle_token_request(services_, call) : refuse();
  }
  const bool scale = is_scale(*call);
  if (!info.subresource.empty() && ((!scale && !is_part(*call)) || info.verb == "watch")) return missing();
  if (!call->kind->stored) {
    return info.verb == "create" && !info.name_in_path ? handle_review(services_, call) : refuse();
  }

  for (const auto& route : kRoutes) {
    if (route.verb != info.verb) continue;
    if (!call->kind->allows(route.needs) || !fits(route.names, info)) return refuse();
    const bool changes_part = info.verb == "get" || info.verb == "update" || info.verb == "patch";
    if (!info.subresource.empty() && !changes_part) return refuse();
    if (route.handler != handle_watch) {
      const auto allowed = request_timeout(info.query.get("timeout"));
      if (!allowed.ok()) return respond_error(services_, *call, allowed.error());
      call->due = call->started + std::chrono::duration_cast<MonoTime::duration>(*allowed);
    }
    if (route.waits) services_.timer.writes().add(call->deadline, services_, *call, *call->due);
    const auto handler = scale ? handle_scale : route.handler;
    // A whole collection has taken its seats already, for the worker that it runs on.
    if (route.waits && handler != handle_delete_collection) return run_write(services_, call, handler);
    return handler(services_, call);
  }
  refuse();
}

}  // namespace chandler::apiserver
