#include "reconcilers/claim/claim_kind_check.h"

#include <array>

#include "base/text.h"
#include "reconcilers/catalog/document.h"

namespace chandler::reconcilers::claims {
namespace {

constexpr std::array<std::string_view, 8> kNeeded = {
    "spec.classReference", "spec.resourceRef", "status.bindingPhase", "status.conditions",
    "status.resolution",   "status.resource",  "status.provisioner",  "status.credentialsSecret"};

// An object whose content is free has every field.
bool has(const json::Value& schema, std::string_view path) {
  const json::Value* at = &schema;
  for (const auto piece : split(path, '.')) {
    if (true_at(*at, "x-kubernetes-preserve-unknown-fields")) return true;
    at = &member(member(*at, "properties"), piece);
    if (!at->is_object()) return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> missing_claim_fields(const client::Object& definition) {
  std::vector<std::string> out;
  const auto* versions = json::array_at(spec_of(definition), "versions");
  if (versions == nullptr) return out;
  for (const auto& version : *versions) {
    if (!true_at(version, "storage")) continue;
    if (!member(version, {"subresources", "status"}).is_object()) out.emplace_back("the status subresource");
    const auto& schema = member(version, {"schema", "openAPIV3Schema"});
    for (const auto path : kNeeded) {
      if (!has(schema, path)) out.emplace_back(path);
    }
  }
  return out;
}

}  // namespace chandler::reconcilers::claims
