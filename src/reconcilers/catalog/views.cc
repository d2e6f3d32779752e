#include "reconcilers/catalog/views.h"

namespace chandler::reconcilers {

BrokerRef OfferView::broker() const {
  const auto of_cluster = text_at(spec(), names_of(Scope::kCluster).broker_name);
  if (scope_ == Scope::kCluster || !of_cluster.empty()) return {Scope::kCluster, "", of_cluster};
  return {Scope::kNamespace, std::string(object_.ns()), text_at(spec(), names_of(Scope::kNamespace).broker_name)};
}

resolve::PlanCandidate PlanView::candidate() const {
  return resolve::plan_candidate(
      object_.value(), scope_ == Scope::kCluster ? resolve::PlanScope::kCluster : resolve::PlanScope::kNamespace);
}

}  // namespace chandler::reconcilers
