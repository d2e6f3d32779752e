#include "apiserver/audit/audit_trail.h"

#include <utility>

#include "apiserver/audit/audit_log.h"

namespace chandler::apiserver {
namespace {

std::string without_port(const std::string& address) {
  const size_t colon = address.rfind(':');
  auto host = address.substr(0, colon);
  if (host.size() > 1 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return host;
}

AuditEvent event_of(const Services& services, const AuditTrail& trail, AuditStage stage) {
  AuditEvent event;
  event.request = trail.request;
  event.stage = stage;
  event.time = services.clock.now();
  event.impersonated = trail.impersonated;
  event.annotations = trail.annotations;
  return event;
}

bool is_secret_kind(const Services& services, const RequestInfo& info) {
  if (!info.is_resource) return false;
  const auto kind = services.kinds.current()->find(info.group, info.resource);
  return kind != nullptr && kind->encrypted;
}

void keep_answer(const AuditTrail& trail, const http::Response& response, AuditEvent& event) {
  const bool whole = trail.request->verdict.level == AuditLevel::kRequestResponse;
  if (!whole && response.status < 400) return;
  const size_t size = response.body.size() + response.tail.size();
  if (response.source != nullptr || size > kMaxAuditedBody) {
    event.answer_left_out = whole;
    return;
  }
  event.answer.reserve(size);
  event.answer.append(response.body).append(response.tail);
  event.answer_type = response.headers.get("Content-Type");
}

}  // namespace

void begin_audit(const Services& services, Call& call, bool authenticated) {
  if (services.audit == nullptr) return;
  const auto verdict = services.audit->policy().decide(call.info, authenticated ? &call.user : nullptr,
                                                       is_secret_kind(services, call.info));
  if (verdict.level == AuditLevel::kNone) return;
  const auto& info = call.info;
  auto request = std::make_shared<AuditRequest>();
  request->verdict = verdict;
  request->id = call.id;
  request->uri = call.request->target;
  request->verb = info.verb;
  if (authenticated) request->user = call.user;
  request->source = without_port(call.request->peer->address);
  request->agent = call.request->headers.get("User-Agent");
  request->received = services.clock.now();
  request->is_resource = info.is_resource;
  request->group = info.group;
  request->version = info.version;
  request->resource = info.resource;
  request->ns = info.ns;
  request->name = info.name;
  request->subresource = info.subresource;
  auto trail = std::make_shared<AuditTrail>();
  if (verdict.level >= AuditLevel::kRequest && info.is_resource) {
    if (call.request->body.size() <= kMaxAuditedBody) {
      request->body = call.request->body;
      request->body_type = call.request->headers.get("Content-Type");
    } else {
      trail->annotations["audit.k8s.io/truncated"] = "true";
    }
  }
  trail->request = std::move(request);
  call.audit = trail;
  if (verdict.wants(AuditStage::kRequestReceived)) {
    services.audit->add(event_of(services, *trail, AuditStage::kRequestReceived));
  }
}

void audit_answer(const Services& services, Call& call, const http::Response& response) {
  if (call.audit == nullptr) return;
  const auto& trail = *call.audit;
  const bool streams = response.source != nullptr && call.info.verb == "watch";
  const auto stage = streams          ? AuditStage::kResponseStarted
                     : trail.panicked ? AuditStage::kPanic
                                      : AuditStage::kResponseComplete;
  if (!trail.request->verdict.wants(stage)) return;
  auto event = event_of(services, trail, stage);
  event.code = response.status;
  if (!streams) keep_answer(trail, response, event);
  // Only of an answer that sends it: while a deadline answers, another thread may be just setting it.
  if (!response.tail.empty() && call.answer != nullptr && call.info.verb != "get") {
    event.name = call.answer->name();
    event.uid = call.answer->uid();
    event.resource_version = std::to_string(call.answer->revision());
  }
  services.audit->add(std::move(event));
}

void audit_stream_end(const Services& services, const AuditTrail* trail) {
  if (trail == nullptr || !trail->request->verdict.wants(AuditStage::kResponseComplete)) return;
  auto event = event_of(services, *trail, AuditStage::kResponseComplete);
  event.code = 200;
  services.audit->add(std::move(event));
}

bool audits_answer(const Call& call) {
  return call.audit != nullptr && call.audit->request->verdict.level == AuditLevel::kRequestResponse;
}

}  // namespace chandler::apiserver
