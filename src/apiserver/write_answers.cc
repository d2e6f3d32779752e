#include "apiserver/write_answers.h"

#include <utility>

#include <fmt/format.h>

#include "apiserver/body.h"
#include "meta/body_type.h"
#include "meta/field_error.h"
#include "registry/event_conversion.h"

namespace chandler::apiserver {
namespace {

std::string metadata_string(const json::Value& object, std::string_view key) {
  const auto* metadata = json::find(object, "metadata");
  return metadata == nullptr ? "" : json::string_or(*metadata, key);
}

}  // namespace

Result<void> check_namespace(const Call& call, const json::Value& object) {
  if (!call.kind->namespaced) return {};
  const auto ns = metadata_string(object, "namespace");
  if (ns.empty() || ns == call.info.ns) return {};
  return meta::BodyType::other_namespace(ns, call.info.ns);
}

Result<void> check_name(const Call& call, const json::Value& object) {
  const auto name = metadata_string(object, "name");
  if (name == call.info.name) return {};
  if (name.empty()) return bad_request("metadata.name: name must be provided");
  return bad_request(
      fmt::format("the name of the object ({}) does not match the name on the URL ({})", name, call.info.name));
}

std::function<Result<void>()> creation_check(const Services& services, const Call& call,
                                             std::shared_ptr<const auth::User> user) {
  auth::Attributes attributes = call.attributes();
  attributes.verb = "create";
  return [&policy = services.policy, user = std::move(user), attributes, kind = call.kind]() mutable -> Result<void> {
    attributes.user = user.get();
    if (kind->terminating) {
      return forbidden(kind->ref(attributes.name), "its CustomResourceDefinition is being deleted; no new objects");
    }
    if (policy.current()->authorize(attributes).allowed) return {};
    return forbidden(kind->ref(attributes.name), auth::denial(attributes));
  };
}

void use_stored_kind(const Services& services, registry::WriteRequest& request) {
  if (request.kind->stored_as.empty()) return;
  const auto stored = services.kinds.current()->find("", "events");
  if (stored == nullptr) return;
  request.asked = std::exchange(request.kind, stored);
  request.version = &stored->storage_version();
}

bool is_apply(const Call& call) {
  return media_type(call.request->headers.get("Content-Type")) == "application/apply-patch+yaml";
}

Result<void> check_apply_options(const Call& call) {
  if (!call.info.query.get("fieldManager").empty()) return {};
  meta::FieldErrors errors;
  errors.required(meta::Path("fieldManager"), "is required for apply patch");
  return invalid({"meta.k8s.io", "PatchOptions", "", ""}, errors.take());
}

bool is_forced(const Call& call) {
  // As Go reads a flag of a query: everything but a clear no is a yes.
  if (!call.info.query.has("force")) return false;
  const auto value = call.info.query.get("force");
  return value != "false" && value != "0";
}

json::Value to_stored_form(const Call& call, json::Value object) {
  if (call.kind->stored_as.empty()) return object;
  return registry::event_to_core(std::move(object));
}

}  // namespace chandler::apiserver
