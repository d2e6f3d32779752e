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

struct Route {
  std::string_view verb;
  Verb needs;
  void (*handler)(const Services&, const CallPtr&);
  bool named;  // works on one object, not on a collection
  bool waits;  // for the store
};

constexpr std::array kRoutes = {
    Route{"get", Verb::kGet, handle_get, true, false},
    Route{"list", Verb::kList, handle_list, false, false},
    Route{"watch", Verb::kWatch, handle_watch, false, false},
    Route{"create", Verb::kCreate, handle_create, false, true},
    Route{"update", Verb::kUpdate, handle_update, true, true},
    Route{"patch", Verb::kPatch, handle_patch, true, true},
    Route{"delete", Verb::kDelete, handle_delete, true, true},
    Route{"deletecollection", Verb::kDeleteCollection, handle_delete_collection, false, true},
};

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

// Where the URL and the kind disagree about being in a namespace, nothing is there.
bool scope_fits(const Call& call) {
  const bool across = call.info.verb == "list" || call.info.verb == "watch";
  if (call.kind->namespaced) return !call.info.ns.empty() || (across && call.info.name.empty());
  return call.info.ns.empty() || (call.kind->group.empty() && call.kind->plural == "namespaces");
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
  const bool all_namespaces_by_name =
      call->kind->namespaced && info.ns.empty() && !info.name.empty() && (info.verb == "list" || info.verb == "watch");
  if (!scope_fits(*call) && !all_namespaces_by_name) {
    if (!call->kind->crd_uid.empty()) return handle_path(services_, call);  // nothing is at such a path
    return info.verb == "create" || info.verb == "deletecollection" ? refuse() : missing();
  }
  if (!info.subresource.empty() && is_token_request(*call)) {
    return info.verb == "create" ? handle_token_request(services_, call) : refuse();
  }
  const bool scale = is_scale(*call);
  if (!info.subresource.empty() && !scale && !is_part(*call)) return missing();
  if (!call->kind->stored) return info.verb == "create" ? handle_review(services_, call) : refuse();

  const bool named_path =
      !info.name.empty() && info.verb != "list" && info.verb != "watch" && info.verb != "deletecollection";
  for (const auto& route : kRoutes) {
    if (route.verb != info.verb) continue;
    if (!call->kind->allows(route.needs) || route.named != named_path) return refuse();
    const bool changes_part = info.verb == "get" || info.verb == "update" || info.verb == "patch";
    if (!info.subresource.empty() && !changes_part) return refuse();
    if (route.waits) {
      const auto allowed = write_timeout(info.query.get("timeout"));
      if (!allowed.ok()) return respond_error(services_, *call, allowed.error());
      const auto due = call->started + std::chrono::duration_cast<MonoTime::duration>(*allowed);
      services_.timer.writes().add(call->deadline, services_, *call, due);
    }
    const auto handler = scale ? handle_scale : route.handler;
    // A whole collection has taken its seats already, for the worker that it runs on.
    if (route.waits && handler != handle_delete_collection) return run_write(services_, call, handler);
    return handler(services_, call);
  }
  refuse();
}

}  // namespace chandler::apiserver
