#include "apiserver/audit/audit_event.h"

#include "apiserver/body.h"
#include "base/text.h"
#include "base/time_text.h"
#include "json/reader.h"
#include "json/writer.h"
#include "json/yaml.h"
#include "meta/protobuf/decoder.h"

namespace chandler::apiserver {
namespace {

constexpr const char* kTruncated = "audit.k8s.io/truncated";

json::Value user_info(const auth::User& user) {
  json::Object out{{"username", user.name}};
  if (!user.uid.empty()) out["uid"] = user.uid;
  if (!user.groups.empty()) out["groups"] = json::Array(user.groups.begin(), user.groups.end());
  if (!user.extra.empty()) {
    json::Object extra;
    for (const auto& [key, values] : user.extra) extra[key] = json::Array(values.begin(), values.end());
    out["extra"] = std::move(extra);
  }
  return out;
}

json::Value object_reference(const AuditEvent& event) {
  const auto& request = *event.request;
  json::Object out{{"resource", request.resource}};
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) out[key] = value;
  };
  add("namespace", request.ns);
  add("name", event.name.empty() ? request.name : event.name);
  add("uid", event.uid);
  add("apiGroup", request.group);
  add("apiVersion", request.version);
  add("resourceVersion", event.resource_version);
  add("subresource", request.subresource);
  return out;
}

// A body as it was sent or answered, in any of the forms that the server speaks; nullopt for others.
std::optional<json::Value> read_audited(const std::string& body, std::string_view content_type) {
  if (body.empty()) return std::nullopt;
  const auto type = media_type(content_type);
  if (type == "application/vnd.kubernetes.protobuf") {
    auto value = meta::decode_protobuf(body);
    return value.ok() ? std::optional(std::move(value).value()) : std::nullopt;
  }
  const bool yaml = type.ends_with("yaml");
  if (!yaml && !type.empty() && !type.ends_with("json")) return std::nullopt;
  auto value = yaml ? json::parse_yaml(body) : json::parse(body);
  return value.ok() ? std::optional(std::move(value).value()) : std::nullopt;
}

void drop_managed_fields(json::Value& object) {
  if (auto* metadata = json::find(object, "metadata"); metadata != nullptr && metadata->is_object()) {
    metadata->get_object().erase("managedFields");
  }
  if (auto* items = json::find(object, "items"); items != nullptr && items->is_array()) {
    for (auto& item : items->get_array()) drop_managed_fields(item);
  }
}

json::Value response_status(const AuditEvent& event, const std::optional<json::Value>& answer) {
  json::Object status{{"metadata", json::Object()}};
  if (answer && json::string_or(*answer, "kind") == "Status") {
    for (const char* key : {"status", "message", "reason", "details"}) {
      if (const auto* value = json::find(*answer, key)) status[key] = *value;
    }
  }
  status["code"] = event.code;
  return status;
}

}  // namespace

size_t AuditEvent::bytes() const {
  return sizeof(*this) + answer.size() + request->body.size() + request->uri.size() + request->agent.size() + 512;
}

std::string audit_line(const AuditEvent& event) {
  const auto& request = *event.request;
  const auto level = request.verdict.level;
  json::Object out{{"kind", "Event"}, {"apiVersion", "audit.k8s.io/v1"}};
  out["level"] = audit_level_name(level);
  out["auditID"] = request.id;
  out["stage"] = audit_stage_name(event.stage);
  out["requestURI"] = request.uri;
  out["verb"] = request.verb;
  out["user"] = request.user ? user_info(*request.user) : json::Value(json::Object());
  if (event.impersonated) out["impersonatedUser"] = user_info(*event.impersonated);
  out["sourceIPs"] = json::Array{json::Value(request.source)};
  if (!request.agent.empty()) out["userAgent"] = request.agent;
  if (request.is_resource) out["objectRef"] = object_reference(event);

  auto annotations = event.annotations;
  auto answer = read_audited(event.answer, event.answer_type);
  if (event.code != 0) out["responseStatus"] = response_status(event, answer);
  if (request.is_resource && level >= AuditLevel::kRequest) {
    if (auto body = read_audited(request.body, request.body_type)) {
      if (request.verdict.omit_managed_fields) drop_managed_fields(*body);
      out["requestObject"] = std::move(*body);
    }
  }
  if (request.is_resource && level >= AuditLevel::kRequestResponse && answer) {
    if (request.verdict.omit_managed_fields) drop_managed_fields(*answer);
    out["responseObject"] = std::move(*answer);
  }
  if (event.answer_left_out) annotations[kTruncated] = "true";
  out["requestReceivedTimestamp"] = rfc3339_micro(request.received);
  out["stageTimestamp"] = rfc3339_micro(event.time);
  if (!annotations.empty()) {
    json::Object all;
    for (const auto& [key, value] : annotations) all[key] = value;
    out["annotations"] = std::move(all);
  }
  auto line = json::write(out);
  line += '\n';
  return line;
}

}  // namespace chandler::apiserver
