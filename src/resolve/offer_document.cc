#include "resolve/offer_document.h"

namespace chandler::resolve {
namespace {

constexpr std::string_view kGroup = "servicecatalog.k8s.io";

const json::Value& offer_member(const json::Value& offer, std::string_view key) {
  static const json::Value nothing;
  const auto* found = json::find(offer, key);
  return found == nullptr ? nothing : *found;
}

bool is_marked(const json::Value& metadata, std::string_view annotation) {
  return json::string_or(offer_member(metadata, "annotations"), annotation) == "true";
}

}  // namespace

bool is_broker_managed(const json::Value& offer) {
  const auto& metadata = offer_member(offer, "metadata");
  if (is_marked(metadata, kAdoptAnnotation)) return true;
  const auto* owners = json::array_at(metadata, "ownerReferences");
  if (owners == nullptr) return false;
  for (const auto& owner : *owners) {
    if (json::bool_at(owner, "controller").value_or(false) && json::string_or(owner, "apiVersion").starts_with(kGroup))
      return true;
  }
  return false;
}

PlanCandidate plan_candidate(const json::Value& plan, PlanScope scope) {
  const auto& metadata = offer_member(plan, "metadata");
  const auto& spec = offer_member(plan, "spec");
  const auto& status = offer_member(plan, "status");
  PlanCandidate candidate;
  candidate.name = json::string_or(metadata, "name");
  candidate.external_name = json::string_or(spec, "externalName");
  candidate.external_id = json::string_or(spec, "externalID");
  candidate.class_name = json::string_or(
      offer_member(spec, scope == PlanScope::kCluster ? "clusterServiceClassRef" : "serviceClassRef"), "name");
  candidate.service_type = json::string_or(spec, "serviceType");
  candidate.scope = scope;
  candidate.namespace_name = json::string_or(metadata, "namespace");
  candidate.acknowledged_default_for = json::string_or(status, "acknowledgedDefaultFor");
  candidate.is_default = is_marked(metadata, kDefaultPlanAnnotation);
  candidate.is_suggested = is_marked(metadata, kSuggestedPlanAnnotation);
  candidate.broker_managed = is_broker_managed(plan);
  candidate.removed = json::bool_at(status, "removedFromBrokerCatalog").value_or(false);
  candidate.deleting = !json::string_or(metadata, "deletionTimestamp").empty();
  return candidate;
}

}  // namespace chandler::resolve
