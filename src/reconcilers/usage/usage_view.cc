#include "reconcilers/usage/usage_view.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "client/kind_names.h"
#include "reconcilers/usage/usage_names.h"

namespace chandler::reconcilers {

client::KindName LabelTarget::kind_name() const { return client::intern_kind(group, plural); }

std::string LabelTarget::described() const {
  return fmt::format("{}{}{} {}", to_lower(kind), group.empty() ? "" : ".", group, quoted(workload));
}

std::optional<UsageSnapshot> UsageSnapshot::read(const json::Value& value) {
  const auto& resource = member(value, "resource");
  UsageSnapshot out;
  out.usage_kind = text_at(member(value, "usageKind"), "name");
  out.usage_kind_uid = text_at(member(value, "usageKind"), "uid");
  out.usage_kind_generation = number_at(member(value, "usageKind"), "generation");
  out.target = {text_at(resource, "group"),  text_at(resource, "version"), text_at(resource, "kind"),
                text_at(resource, "plural"), text_at(value, "labelsPath"), text_at(value, "workload")};
  if (const auto* labels = json::object_at(value, "labels")) {
    for (const auto& label : *labels) {
      if (label.value().is_string()) out.labels.emplace(label.key(), json::view(label.value().get_string()));
    }
  }
  if (out.target.plural.empty() || out.target.workload.empty()) return std::nullopt;
  return out;
}

json::Object UsageSnapshot::write() const {
  json::Object of_kind;
  of_kind["name"] = text(usage_kind);
  of_kind["uid"] = text(usage_kind_uid);
  of_kind["generation"] = usage_kind_generation;
  json::Object resource;
  resource["group"] = text(target.group);
  resource["version"] = text(target.version);
  resource["kind"] = text(target.kind);
  resource["plural"] = text(target.plural);
  json::Object put;
  for (const auto& [key, value] : labels) put[key] = text(value);
  json::Object out;
  out["usageKind"] = std::move(of_kind);
  out["resource"] = std::move(resource);
  out["labelsPath"] = text(target.labels_path);
  out["workload"] = text(target.workload);
  out["labels"] = std::move(put);
  return out;
}

json::Object UsageView::owner_reference() const {
  json::Object reference;
  reference["apiVersion"] = text(kUsageVersion);
  reference["kind"] = "ServiceBindingUsage";
  reference["name"] = text(name());
  reference["uid"] = text(uid());
  reference["controller"] = true;
  return reference;
}

bool has_owner(const client::Object& object, std::string_view uid) {
  const auto* owners = json::array_at(member(object.value(), "metadata"), "ownerReferences");
  return owners != nullptr && std::any_of(owners->begin(), owners->end(),
                                          [&](const json::Value& owner) { return text_at(owner, "uid") == uid; });
}

client::Write update_to(const client::KindName& kind, const client::Object& object, json::Value value) {
  return {.verb = client::Write::Verb::kUpdate,
          .kind = kind,
          .ns = std::string(object.ns()),
          .name = std::string(object.name()),
          .object = std::move(value),
          .uid = {},
          .resource_version = {}};
}

client::Write create_of(const client::KindName& kind, std::string_view ns, std::string_view name, json::Value value) {
  return {.verb = client::Write::Verb::kCreate,
          .kind = kind,
          .ns = std::string(ns),
          .name = std::string(name),
          .object = std::move(value),
          .uid = {},
          .resource_version = {}};
}

}  // namespace chandler::reconcilers
