#include "reconcilers/instance/instance_offer.h"

#include <algorithm>

namespace chandler::reconcilers {

InstanceOffer offer_of(const InstanceView& instance, controller::View& view) {
  InstanceOffer offer;
  for (const auto scope : {Scope::kCluster, Scope::kNamespace}) {
    const auto& names = names_of(scope);
    const std::string ns = scope == Scope::kCluster ? "" : instance.ns();
    if (const auto name = instance.class_ref(scope); !name.empty() && !offer.service_class)
      offer.service_class = ClassView(scope, view.get(names.classes, ns, name));
    if (const auto name = instance.plan_ref(scope); !name.empty() && !offer.plan)
      offer.plan = PlanView(scope, view.get(names.plans, ns, name));
  }
  return offer;
}

std::chrono::seconds polling_limit(const InstanceView& instance, const Settings& settings, controller::View& view) {
  const auto limit = settings.reconciliation_retry_duration;
  const auto offer = offer_of(instance, view);
  if (!offer.plan || offer.plan.maximum_polling_seconds() <= 0) return limit;
  return std::min(limit, std::chrono::seconds(offer.plan.maximum_polling_seconds()));
}

}  // namespace chandler::reconcilers
