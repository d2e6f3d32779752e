// Ending an instance takes what stands in its status. Another service catalog recorded less there, and so might an
// object have lost it; as long as class and plan exist, the record is completed from them, before anything else.
#include "reconcilers/catalog/operation.h"
#include "reconcilers/instance/instance_offer.h"
#include "reconcilers/instance/pass.h"

namespace chandler::reconcilers {

std::optional<controller::Step> complete_record(InstancePass& pass) {
  const auto& instance = pass.instance;
  if (!instance.needs_deprovision()) return std::nullopt;
  const bool lacks_external = instance.external().is_object() && instance.external_target().empty();
  const bool lacks_in_progress = instance.in_progress().is_object() && instance.in_progress_target().empty();
  const bool lacks_all =
      instance.object().deleting() && !instance.external().is_object() && !instance.in_progress().is_object();
  if (!lacks_external && !lacks_in_progress && !lacks_all) return std::nullopt;
  const auto offer = offer_of(instance, pass.view);
  if (!offer.service_class || !offer.plan) return std::nullopt;  // the deletion tells, should it come to that
  auto draft = pass.draft();
  if (lacks_external) complete_target(object_in(draft.status(), "externalProperties"), offer.service_class, offer.plan);
  if (lacks_in_progress || lacks_all)
    complete_target(object_in(draft.status(), "inProgressProperties"), offer.service_class, offer.plan);
  if (!draft.changed()) return std::nullopt;
  return save_status(std::move(draft));
}

}  // namespace chandler::reconcilers
