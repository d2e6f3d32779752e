// Ending a binding takes what stands in its status. Another service catalog recorded less there; as long as the
// instance, its class and its plan exist, the record is completed from them, before anything else.
#include "reconcilers/binding/pass.h"
#include "reconcilers/catalog/operation.h"
#include "reconcilers/instance/instance_offer.h"

namespace chandler::reconcilers {
namespace {

void complete(json::Object& properties, const InstanceView& instance, const InstanceOffer& offer) {
  complete_target(properties, offer.service_class, offer.plan);
  const auto* id = properties.if_contains("instanceExternalID");
  if (id == nullptr || !id->is_string() || id->get_string().empty())
    properties["instanceExternalID"] = text(instance.external_id());
}

}  // namespace

std::optional<controller::Step> complete_record(BindingPass& pass) {
  const auto& binding = pass.binding;
  if (!binding.needs_unbind()) return std::nullopt;
  const bool has_any = binding.properties().is_object();
  if (has_any && !binding.target().empty() && !binding.instance_id().empty()) return std::nullopt;
  if (!has_any && !binding.object().deleting()) return std::nullopt;
  const InstanceView instance(pass.view.get(kInstances, binding.ns(), binding.instance_name()));
  if (!instance.object()) return std::nullopt;  // the deletion tells, should it come to that
  const auto offer = offer_of(instance, pass.view);
  if (!offer.service_class || !offer.plan) return std::nullopt;
  auto draft = pass.draft();
  if (binding.external().is_object()) complete(object_in(draft.status(), "externalProperties"), instance, offer);
  if (binding.in_progress().is_object() || !has_any)
    complete(object_in(draft.status(), "inProgressProperties"), instance, offer);
  if (!draft.changed()) return std::nullopt;
  return save_status(std::move(draft));
}

}  // namespace chandler::reconcilers
