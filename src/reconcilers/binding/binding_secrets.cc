#include "reconcilers/binding/binding_secrets.h"

#include <fmt/format.h>

#include "base/text.h"
#include "reconcilers/binding/secret.h"
#include "reconcilers/catalog/parameters.h"
#include "reconcilers/catalog/sent_parameters.h"
#include "reconcilers/instance/instance_offer.h"
#include "reconcilers/instance/instance_secrets.h"

namespace chandler::reconcilers {
namespace {

void add_binding_parameters(osb::Sensitive& out, const BindingView& binding, const PlanView& plan,
                            const Settings& settings, controller::View& view) {
  if (!member(binding.in_progress(), "parameters").is_object() && !member(binding.external(), "parameters").is_object())
    return;
  const auto stored = stored_parameters(binding.spec(), binding.ns(), view);
  static const json::Value kNone;
  for (const auto* properties : {&binding.in_progress(), &binding.external()}) {
    add_sent_parameters(out, binding.object(), *properties, stored, {plan ? &plan.binding_schema() : &kNone}, settings);
  }
}

}  // namespace

void add_credentials(osb::Sensitive& out, const BindingView& binding, controller::View& view) {
  bool is_stored = false;
  for (const auto& name : {binding.secret_name(), binding.written_secret()}) {
    if (name.empty() || (is_stored && name == binding.secret_name())) continue;
    const auto secret = view.get(kSecrets, binding.ns(), name);
    if (!secret || !owns(binding, secret)) continue;
    is_stored = true;
    const auto* data = json::object_at(secret.value(), "data");
    if (data == nullptr) continue;
    for (const auto& [key, value] : *data) {
      if (!value.is_string()) continue;
      if (const auto bytes = base64_decode(json::view(value.get_string()))) out.add_text(*bytes);
    }
  }
  if (!is_stored && binding.bound() && binding.needs_unbind()) {
    out.miss(fmt::format("the credentials of binding \"{}\" are no longer stored", binding.name()));
  }
}

osb::Sensitive secrets_of(const BindingView& binding, const Settings& settings, controller::View& view) {
  osb::Sensitive out;
  add_credentials(out, binding, view);
  const InstanceView instance(view.get(kInstances, binding.ns(), binding.instance_name()));
  PlanView plan;
  if (instance.object()) {
    plan = offer_of(instance, view).plan;
    add_instance_parameters(out, instance, instance.status(), plan, settings, view);
  }
  add_binding_parameters(out, binding, plan, settings, view);
  return out;
}

}  // namespace chandler::reconcilers
