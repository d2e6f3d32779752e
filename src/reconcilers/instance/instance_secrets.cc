#include "reconcilers/instance/instance_secrets.h"

#include <algorithm>
#include <vector>

#include "reconcilers/binding/binding_secrets.h"
#include "reconcilers/catalog/parameters.h"
#include "reconcilers/catalog/sent_parameters.h"
#include "reconcilers/instance/instance_offer.h"

namespace chandler::reconcilers {

void add_instance_parameters(osb::Sensitive& out, const InstanceView& instance, const json::Value& status,
                             const PlanView& plan, const Settings& settings, controller::View& view) {
  std::vector<const json::Value*> requests{&member(status, "inProgressProperties"),
                                           &member(status, "externalProperties")};
  if (const auto* unconfirmed = json::array_at(status, "unconfirmedProperties")) {
    for (const auto& properties : *unconfirmed) requests.push_back(&properties);
  }
  std::erase_if(requests, [](const json::Value* properties) { return !member(*properties, "parameters").is_object(); });
  if (requests.empty()) return;
  const auto stored = stored_parameters(instance.spec(), instance.ns(), view);
  static const json::Value kNone;
  for (const auto* properties : requests) {
    add_sent_parameters(out, instance.object(), *properties, stored,
                        {plan ? &plan.create_schema() : &kNone, plan ? &plan.update_schema() : &kNone}, settings);
  }
}

osb::Sensitive secrets_of(const InstanceView& instance, const json::Value& status, const PlanView& plan,
                          const Settings& settings, controller::View& view) {
  osb::Sensitive out;
  add_instance_parameters(out, instance, status, plan, settings, view);
  if (!instance.provisioned()) return out;
  for (auto& binding : view.list(kBindings, {instance.ns(), {{"spec.instanceRef.name", instance.name()}}})) {
    add_credentials(out, BindingView(std::move(binding)), view);
  }
  return out;
}

osb::Sensitive secrets_of(const InstanceView& instance, const Settings& settings, controller::View& view) {
  return secrets_of(instance, instance.status(), offer_of(instance, view).plan, settings, view);
}

}  // namespace chandler::reconcilers
