#include "reconcilers/catalog/claimed_id.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "reconcilers/catalog/abandon.h"
#include "reconcilers/catalog/document.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/catalog/reasons.h"
#include "resolve/abandonment.h"
#include "resolve/external_id.h"

namespace chandler::reconcilers {
namespace {

bool may_be_at_broker(const client::Object& object) {
  const auto& status = status_of(object);
  for (const auto field : {"deprovisionStatus", "unbindStatus"}) {
    if (resolve::may_be_held(text_at(status, field))) return true;
  }
  return !text_at(status, "currentOperation").empty();
}

std::pair<std::string, std::string_view> age_of(const client::Object& object) {
  return {text_at(member(object.value(), "metadata"), "creationTimestamp"), object.uid()};
}

// A namespace that was created again under the same name is a different one.
bool is_of_namespace(const json::Value& record, const client::Object& object, controller::View& view) {
  if (text_at(record, "namespace") != object.ns()) return false;
  const auto uid = text_at(record, "namespaceUID");
  return uid.empty() || uid == view.get(kNamespaces, "", object.ns()).uid();
}

std::optional<Problem> abandoned_id(const client::KindName& kind, const client::Object& object, const std::string& id,
                                    controller::View& view) {
  const bool is_binding = kind == kBindings;
  // The record of a binding also names its instance, which has a record of its own if it was abandoned.
  const std::string_view wanted = is_binding ? "ServiceBinding" : "ServiceInstance";
  const auto field = is_binding ? "data.bindingID.folded" : "data.instanceID.folded";
  for (const auto& record : view.list(kConfigMaps, {std::string(kJournalNamespace), {{field, to_lower(id)}}})) {
    const auto& data = member(record.value(), "data");
    if (text_at(data, "kind") != wanted || text_at(data, "uid") == object.uid()) continue;
    if (is_of_namespace(data, object, view)) continue;
    return Problem{
        reason::kExternalIdInUse,
        fmt::format("spec.externalID \"{}\" was abandoned in another namespace, and the broker may still have "
                    "what it stands for; create this one again with another ID. An operator who deletes "
                    "ConfigMap {}/{} gives the ID free.",
                    id, kJournalNamespace, record.name())};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Problem> claimed_id(const client::KindName& kind, const client::Object& object, controller::View& view) {
  const auto id = text_at(spec_of(object), "externalID");
  if (id == object.uid()) return std::nullopt;
  for (const auto& other : view.list(kind, {"", {{"spec.externalID.folded", to_lower(id)}}})) {
    if (other.uid() == object.uid()) continue;
    const bool comes_first = may_be_at_broker(other) || (!other.deleting() && age_of(other) < age_of(object));
    if (!comes_first) continue;
    // Whoever asks need not know what other namespaces have.
    const auto whose =
        other.ns() == object.ns() ? fmt::format("\"{}\"", other.name()) : std::string("an object of another namespace");
    return Problem{reason::kExternalIdInUse,
                   fmt::format("spec.externalID \"{}\" is used by {} already; delete that one first, or create this "
                               "one again with another ID.",
                               id, whose)};
  }
  return abandoned_id(kind, object, id, view);
}

std::optional<Problem> malformed_id(const client::Object& object) {
  const auto id = text_at(spec_of(object), "externalID");
  const auto fault = resolve::external_id_fault(id);
  if (fault.empty() || may_be_at_broker(object)) return std::nullopt;
  return Problem{
      reason::kInvalidExternalId,
      fmt::format("spec.externalID {} {}. Delete this object and create it again with another ID.", quoted(id), fault)};
}

}  // namespace chandler::reconcilers
