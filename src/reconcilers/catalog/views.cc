#include "reconcilers/catalog/views.h"

namespace chandler::reconcilers {

BrokerRef OfferView::broker() const {
  const auto of_cluster = text_at(spec(), names_of(Scope::kCluster).broker_name);
  if (scope_ == Scope::kCluster || !of_cluster.empty()) return {Scope::kCluster, "", of_cluster};
  return {Scope::kNamespace, std::string(object_.ns()), text_at(spec(), names_of(Scope::kNamespace).broker_name)};
}

bool OfferView::managed() const {
  if (annotation_of(object_, kAdoptAnnotation) == "true") return true;
  const auto* owners = json::array_at(member(object_.value(), "metadata"), "ownerReferences");
  if (owners == nullptr) return false;
  for (const auto& owner : *owners) {
    if (true_at(owner, "controller") && text_at(owner, "apiVersion").starts_with(kCatalogGroup)) return true;
  }
  return false;
}

}  // namespace chandler::reconcilers
