#include "resolve/claim_kinds.h"

#include "base/text.h"

namespace chandler::resolve {
namespace {

constexpr std::string_view kSuffix = "/default";

const json::Value& labels_of(const json::Value& object) {
  static const json::Value none;
  const auto* labels = json::find_path(object, {"metadata", "labels"});
  return labels == nullptr ? none : *labels;
}

json::Object& object_in(json::Object& parent, std::string_view key) {
  auto& value = parent[key];
  if (!value.is_object()) value.emplace_object();
  return value.get_object();
}

}  // namespace

std::string claim_kind_name(std::string_view kind, std::string_view group) {
  return to_lower(group.empty() ? std::string(kind) : std::string(kind) + "." + std::string(group));
}

std::string_view kind_in(std::string_view claim_kind) { return claim_kind.substr(0, claim_kind.find('.')); }

std::string_view group_in(std::string_view claim_kind) {
  const size_t dot = claim_kind.find('.');
  return dot == std::string_view::npos ? std::string_view() : claim_kind.substr(dot + 1);
}

const std::vector<std::string>& built_in_claim_kinds() {
  static const std::vector<std::string> kinds = {"bucket.storage.crossplane.io",
                                                 "dynamodbinstance.storage.crossplane.io",
                                                 "mysqlinstance.storage.crossplane.io",
                                                 "nosqlinstance.storage.crossplane.io",
                                                 "postgresqlinstance.storage.crossplane.io",
                                                 "rediscluster.cache.crossplane.io"};
  return kinds;
}

std::string default_label(std::string_view claim_kind) { return std::string(claim_kind) + std::string(kSuffix); }

std::string_view kind_of_default_label(std::string_view label) {
  return label.ends_with(kSuffix) ? label.substr(0, label.size() - kSuffix.size()) : std::string_view();
}

std::set<std::string> defaults_by_label(const json::Value& resource_class) {
  std::set<std::string> out;
  const auto& labels = labels_of(resource_class);
  if (!labels.is_object()) return out;
  for (const auto& [key, value] : labels.get_object()) {
    const std::string_view name(key.data(), key.size());
    const auto kind = kind_of_default_label(name);
    if (!kind.empty() && value.is_string() && json::view(value.get_string()) == "true") out.insert(to_lower(kind));
  }
  return out;
}

std::set<std::string> defaults_by_list(const json::Value& resource_class) {
  std::set<std::string> out;
  const auto* list = json::array_at(resource_class, "defaultForClaimKinds");
  if (list == nullptr) return out;
  for (const auto& entry : *list) {
    if (entry.is_string()) out.insert(to_lower(json::view(entry.get_string())));
  }
  return out;
}

bool label_defaults(json::Object& resource_class, const std::set<std::string>& before) {
  const json::Value root(resource_class);
  const auto listed = defaults_by_list(root);
  const auto labelled = defaults_by_label(root);
  bool changed = false;
  for (const auto& kind : listed) {
    if (labelled.contains(kind)) continue;
    object_in(object_in(resource_class, "metadata"), "labels")[default_label(kind)] = "true";
    changed = true;
  }
  for (const auto& kind : before) {
    if (listed.contains(kind) || !labelled.contains(kind)) continue;
    auto& metadata = object_in(resource_class, "metadata");
    object_in(metadata, "labels").erase(default_label(kind));
    if (object_in(metadata, "labels").empty()) metadata.erase("labels");
    changed = true;
  }
  return changed;
}

}  // namespace chandler::resolve
