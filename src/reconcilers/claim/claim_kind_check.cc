#include "reconcilers/claim/claim_kind_check.h"

#include "base/text.h"
#include "reconcilers/catalog/document.h"

namespace chandler::reconcilers::claims {
namespace {

// Down to what a decision hangs on: an object without fields would be emptied, and a resource that is not known to be
// the user's, or to be retained, would be deleted with its claim.
constexpr std::string_view kNeeded[] = {"spec.classReference",
                                        "spec.resourceRef",
                                        "status.bindingPhase",
                                        "status.conditions",
                                        "status.lastConditionState",
                                        "status.provisioner",
                                        "status.resolution.source",
                                        "status.resolution.class.namespace",
                                        "status.resolution.class.name",
                                        "status.resolution.class.uid",
                                        "status.resolution.class.generation",
                                        "status.resolution.provisioner",
                                        "status.resolution.reclaimPolicy",
                                        "status.resolution.engineVersion",
                                        "status.resolution.candidates",
                                        "status.resolution.candidatesLeftOut",
                                        "status.resolution.message",
                                        "status.resolution.time",
                                        "status.resource.apiVersion",
                                        "status.resource.kind",
                                        "status.resource.namespace",
                                        "status.resource.name",
                                        "status.resource.uid",
                                        "status.resource.static",
                                        "status.resource.time",
                                        "status.resource.binding",
                                        "status.credentialsSecret.name",
                                        "status.credentialsSecret.uid",
                                        "status.credentialsSecret.sourceUID"};

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
