// The way of every request, as one list.
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "apiserver/audit/audit_trail.h"
#include "apiserver/console.h"
#include "apiserver/handlers/handlers.h"
#include "apiserver/impersonation.h"
#include "apiserver/lanes/enter_lane.h"
#include "apiserver/negotiation.h"
#include "apiserver/respond.h"
#include "apiserver/server.h"
#include "apiserver/status.h"
#include "base/ids.h"
#include "base/log.h"
#include "base/text.h"
#include "json/writer.h"

namespace chandler::apiserver {
namespace {

constexpr size_t kMaxAuditId = 64;

std::string request_id(const http::Request& request) {
  const auto given = request.headers.get("Audit-ID");
  return given.empty() || given.size() > kMaxAuditId ? new_uuid() : std::string(given);
}

std::string_view bearer_token(const http::Request& request) {
  const auto header = trim(request.headers.get("Authorization"));
  const size_t blank = header.find(' ');
  if (blank == std::string_view::npos || !equals_ignore_case(header.substr(0, blank), "bearer")) return "";
  return trim(header.substr(blank + 1));
}

bool is_discovery_root(std::string_view path) { return path == "/api" || path == "/apis"; }

// A filter's error that is none: the request begins again later, and is not answered now.
constexpr int kPutOff = -1;
Error put_off() {
  Error error;
  error.code = kPutOff;
  return error;
}
bool is_put_off(const Error& error) { return error.code == kPutOff; }

}  // namespace

void ApiServer::handle(std::shared_ptr<http::Request> request, std::unique_ptr<http::Responder> responder) {
  auto call = std::make_shared<Call>();
  call->request = std::move(request);
  call->responder = std::move(responder);
  call->started = services_.clock.mono();
  call->id = request_id(*call->request);
  pass_filters(call);
}

void ApiServer::pass_filters(const CallPtr& call) const {
  try {
    using Filter = Result<void> (ApiServer::*)(Call&) const;
    static constexpr Filter kFilters[] = {
        &ApiServer::read_request_info,  // path, verb, query
        &ApiServer::authenticate,       // who
        &ApiServer::impersonate,        // as whom
        &ApiServer::authorize,          // may they; before anything is told about what exists
        &ApiServer::find_kind,          // what is served
        &ApiServer::negotiate_output,   // in which form
    };
    for (const auto filter : kFilters) {
      if (auto passed = (this->*filter)(*call); !passed.ok()) {
        if (!is_put_off(passed.error())) respond_error(services_, *call, passed.error());
        return;
      }
    }
    if (!call->info.is_resource) return handle_path(services_, call);
    if (call->info.verb == "deletecollection") {
      return run_heavy(services_, call, list_width(services_.cache.count(*call->kind)),
                       [this, call] { dispatch(call); });
    }
    run_by_size(services_, call, [this, call] { dispatch(call); });
  } catch (const std::exception& e) {
    respond_fault(services_, *call, e.what());
  }
}

Result<void> ApiServer::read_request_info(Call& call) const {
  CH_TRY_LET(info, parse_request_info(call.request->method, call.request->target));
  call.info = std::move(info);
  return {};
}

Result<void> ApiServer::authenticate(Call& call) const {
  auth::Credentials credentials;
  credentials.bearer_token = bearer_token(*call.request);
  credentials.common_name = call.request->peer->common_name;
  credentials.organizations = &call.request->peer->organizations;
  auto identity = services_.authenticator.authenticate(credentials);
  if (!identity.ok()) {
    // Once: what is not known then is refused.
    if (!std::exchange(call.asked_again, true) &&
        services_.authenticator.ask_again_later(credentials, [this, waiting = call.shared_from_this()] {
          run_on_connection(services_, waiting, [this, waiting] { pass_filters(waiting); });
        })) {
      return put_off();
    }
    begin_audit(services_, call, false);
    log::info("a credential was refused", {{"peer", call.request->peer->address}, {"why", identity.error().message}});
    return unauthorized();
  }
  call.user = identity->has_value() ? std::move((*identity)->user) : auth::anonymous();
  begin_audit(services_, call);
  return {};
}

Result<void> ApiServer::impersonate(Call& call) const {
  if (!asks_to_impersonate(call.request->headers)) return {};
  ObjectRef about;
  if (call.info.is_resource) about = {call.info.group, call.info.resource, call.info.name, ""};
  CH_TRY_LET(wanted, impersonated_user(call.request->headers, call.user, *services_.policy.current(), about));
  if (!wanted.has_value()) return {};
  call.user = std::move(*wanted);
  if (call.audit != nullptr) call.audit->impersonated = call.user;
  return {};
}

Result<void> ApiServer::authorize(Call& call) const {
  const auto attributes = console_attributes(call.info, call.user).value_or(call.attributes());
  const auto decision = services_.policy.current()->authorize(attributes);
  if (call.audit != nullptr) {
    call.audit->annotations["authorization.k8s.io/decision"] = decision.allowed ? "allow" : "forbid";
    call.audit->annotations["authorization.k8s.io/reason"] = decision.reason();
  }
  if (decision.allowed) return {};
  ObjectRef about;
  if (attributes.is_resource) about = {attributes.group, attributes.resource, attributes.name, ""};
  return forbidden(std::move(about), auth::denial(attributes));
}

Result<void> ApiServer::find_kind(Call& call) const {
  if (!call.info.is_resource) return {};
  const auto kinds = services_.kinds.current();
  const auto kind = kinds->find(call.info.group, call.info.resource);
  const auto* version = kind == nullptr ? nullptr : kind->version(call.info.version);
  if (version == nullptr) {
    // A group or version that is not served at all is no part of the API: handle_path says so in plain text.
    if (!kinds->knows(call.info.group, call.info.version)) {
      call.info.is_resource = false;
      return {};
    }
    Error error = not_found({});
    error.message = "the server could not find the requested resource";
    return error;
  }
  call.kind = kind;
  call.version = version;
  return {};
}

Result<void> ApiServer::negotiate_output(Call& call) const {
  const bool lists = call.info.verb == "list" || call.info.verb == "deletecollection";
  const auto shapes = !call.info.is_resource ? Shapes::kNone : lists ? Shapes::kList : Shapes::kObject;
  // OpenAPI documents have media types of their own; their handler chooses.
  if (!call.info.is_resource && call.info.path.starts_with("/openapi/")) return {};
  // So has discovery: a client need not take anything but the aggregated form.
  if (!call.info.is_resource && is_discovery_root(call.info.path) &&
      !aggregated_version(call.request->headers.get("Accept")).empty()) {
    return {};
  }
  CH_TRY_LET(output, negotiate(*call.request, call.info.query, shapes));
  call.output = std::move(output);
  return {};
}

http::Response error_page(int status, std::string_view what) {
  Error error;
  error.reason = reason_for_code(status);
  error.code = status;
  error.message = what;
  http::Response response;
  response.status = status;
  response.headers.set("Content-Type", "application/json");
  response.body = json::write(status_of(error));
  return response;
}

}  // namespace chandler::apiserver
