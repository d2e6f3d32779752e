#include "app/crd_immutability.h"

#include <fmt/format.h>

namespace chandler::app {
namespace {

using FieldPath = std::vector<std::string>;

// The schema of the object that has the field, or null when the version has no such field.
json::Value* parent_schema(json::Value& schema, const FieldPath& path) {
  json::Value* at = &schema;
  for (size_t i = 0; i < path.size(); ++i) {
    auto* properties = json::find(*at, "properties");
    auto* next = properties == nullptr ? nullptr : json::find(*properties, path[i]);
    if (next == nullptr) return nullptr;
    if (i + 1 == path.size()) return at;
    at = next;
  }
  return nullptr;
}

json::Object rule_for(const std::string& field, bool may_be_filled) {
  const auto unchanged = fmt::format("has(self.{0}) && self.{0} == oldSelf.{0}", field);
  json::Object rule;
  rule["rule"] = may_be_filled ? fmt::format("!has(oldSelf.{}) || ({})", field, unchanged)
                               : fmt::format("has(oldSelf.{0}) ? ({1}) : !has(self.{0})", field, unchanged);
  rule["message"] =
      may_be_filled ? fmt::format("{} cannot change once it is set", field) : fmt::format("{} cannot change", field);
  return rule;
}

void add_rule(json::Value& schema, const FieldPath& path, bool may_be_filled) {
  if (path.empty()) return;
  auto* parent = parent_schema(schema, path);
  if (parent == nullptr) return;
  auto& rules = parent->get_object()["x-kubernetes-validations"];
  if (!rules.is_array()) rules.emplace_array();
  rules.get_array().push_back(rule_for(path.back(), may_be_filled));
}

}  // namespace

void add_immutability(json::Value& definition, const registry::Kind& kind) {
  auto* spec = json::find(definition, "spec");
  auto* versions = spec == nullptr ? nullptr : json::find(*spec, "versions");
  if (versions == nullptr || !versions->is_array()) return;
  for (auto& version : versions->get_array()) {
    auto* holder = json::find(version, "schema");
    auto* schema = holder == nullptr ? nullptr : json::find(*holder, "openAPIV3Schema");
    if (schema == nullptr) continue;
    for (const auto& path : kind.immutable) add_rule(*schema, path, false);
    for (const auto& path : kind.set_once) add_rule(*schema, path, true);
  }
}

}  // namespace chandler::app
