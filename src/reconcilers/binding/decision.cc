// Whether a binding has something to do, and what it needs to know before it begins.
#include <algorithm>

#include <fmt/format.h>

#include "base/time_text.h"
#include "reconcilers/binding/changes.h"
#include "reconcilers/binding/defaults.h"
#include "reconcilers/binding/pass.h"
#include "reconcilers/binding/secret.h"
#include "reconcilers/catalog/claimed_id.h"
#include "reconcilers/catalog/operation.h"
#include "reconcilers/catalog/parameters.h"
#include "reconcilers/catalog/reasons.h"
#include "reconcilers/catalog/retry.h"
#include "reconcilers/instance/instance_offer.h"
#include "reconcilers/secrets/secret_protection.h"
#include "resolve/parameter_schema.h"

namespace chandler::reconcilers {
namespace {

using controller::Step;

Found<InstanceView> find_instance(BindingPass& pass) {
  const auto& binding = pass.binding;
  InstanceView instance(pass.view.get(kInstances, binding.ns(), binding.instance_name()));
  if (!instance.object()) {
    return Problem{reason::kNoSuchInstance,
                   fmt::format("There is no instance \"{}\" in namespace {}; the binding waits for it.",
                               binding.instance_name(), binding.ns())};
  }
  if (!instance.has_refs()) {
    return Problem{
        reason::kInstanceUnresolved,
        fmt::format("Instance \"{}\" has no class and plan yet; the binding waits for it.", instance.name())};
  }
  return instance;
}

Found<InstanceOffer> find_offer(const InstanceView& instance, controller::View& view) {
  const auto scope = instance.plan_ref(Scope::kCluster).empty() ? Scope::kNamespace : Scope::kCluster;
  const auto& names = names_of(scope);
  auto offer = offer_of(instance, view);
  if (!offer.service_class) {
    return Problem{reason::kNoSuchClass, fmt::format("The {} \"{}\" of the instance does not exist.", names.class_kind,
                                                     instance.class_ref(scope))};
  }
  if (!offer.plan) {
    return Problem{reason::kNoSuchPlan, fmt::format("The {} \"{}\" of the instance does not exist.", names.plan_kind,
                                                    instance.plan_ref(scope))};
  }
  return offer;
}

Step refuse(BindingPass& pass, std::string_view why, const std::string& message) {
  auto draft = pass.draft();
  draft.status()["reconciledGeneration"] = pass.binding.generation();
  set_condition(draft.status(), kReady, Truth::kFalse, why, message, pass.now());
  set_condition(draft.status(), kFailed, Truth::kTrue, why, message, pass.now());
  return save_status(std::move(draft), {warning(why, message)});
}

Step show(BindingPass& pass, const Problem& problem) {
  return problem.reason.empty() ? Step::done() : show_problem(pass.draft(), problem, pass.now());
}

Step begin(BindingPass& pass, const InstanceView& instance, const InstanceOffer& offer) {
  const auto& binding = pass.binding;
  auto secrets = read_parameter_secrets(binding.spec(), binding.ns(), pass.view);
  if (!secrets.ok()) return show(pass, secrets.error());
  auto defaults = defaults_for(binding, offer.service_class, offer.plan, *secrets, pass.settings);
  if (!defaults.ok()) return show(pass, defaults.error());
  auto parameters = join_parameters(defaults->parameters, *secrets, binding.object(), pass.settings);
  if (!parameters.ok()) return show(pass, parameters.error());
  const auto check = resolve::validate_parameters(offer.plan.binding_schema(), parameters->value);
  if (!check.ok()) {
    return show(pass, {reason::kInvalidParameters,
                       fmt::format("The parameters do not fit the schema of plan \"{}\": {}.",
                                   offer.plan.external_name(), resolve::describe_faults(check.faults))});
  }
  const auto service_type = text_at(member(instance.status(), "resolution"), "serviceType");
  if (const auto wanted = text_at(binding.spec(), "serviceType");
      pass.settings.service_types && !wanted.empty() && wanted != service_type) {
    return refuse(pass, reason::kServiceTypeMismatch,
                  fmt::format("spec.serviceType is \"{}\", but instance \"{}\" is of type \"{}\".", wanted,
                              instance.name(), service_type));
  }

  auto draft = pass.draft();
  auto& status = draft.status();
  begin_operation(status, "Bind", pass.settings, pass.now());
  json::Object properties;
  write_target(properties, offer.service_class, offer.plan);
  properties["instanceExternalID"] = text(instance.external_id());
  properties["instanceName"] = text(instance.name());
  if (parameters->value.is_object()) {
    properties["parameters"] = parameters->redacted;
    properties["parameterChecksum"] = text(parameters->checksum);
  }
  if (const auto& user = member(binding.spec(), "userInfo"); user.is_object()) properties["userInfo"] = user;
  status["inProgressProperties"] = std::move(properties);
  status["unbindStatus"] = "Required";
  auto resolution = member(instance.status(), "resolution");
  if (resolution.is_object()) {
    resolution.get_object()["time"] = text(rfc3339(pass.now()));
    status["resolution"] = std::move(resolution);
  }
  record_defaults(status, *defaults);
  remove_condition(status, kFailed);
  set_condition(status, kReady, Truth::kFalse, reason::kBindRequestInFlight, "The request to bind is about to be sent.",
                pass.now());
  std::vector<controller::Note> notes;
  if (defaults->any()) {
    notes.push_back(normal(reason::kDefaultsApplied,
                           fmt::format("The binding was completed with the defaults of class \"{}\" and plan \"{}\".",
                                       offer.service_class.external_name(), offer.plan.external_name())));
  }
  auto completed = complete_spec(binding, draft.root().at("status"));
  auto step = save_status(std::move(draft), std::move(notes));
  if (completed) {
    step.stages.push_back({});
    step.stages.back().push_back(*std::move(completed));
  }
  return step;
}

// Admission refuses it; but not every cluster has it. What is bound is bound at the instance that it was made for.
std::optional<Problem> refused_change(const BindingView& binding) {
  const auto made_for = text_at(binding.external(), "instanceName");
  if (made_for.empty() || made_for == binding.instance_name()) return std::nullopt;
  return Problem{reason::kInstanceCannotChange,
                 fmt::format("The binding was made for instance \"{}\" and cannot move to \"{}\". Name the former "
                             "instance again, or create a new binding and delete this one.",
                             made_for, binding.instance_name())};
}

// Bound already: the credentials are fetched once more when the secret is not what it should be.
Step keep(BindingPass& pass) {
  const auto& binding = pass.binding;
  if (auto problem = refused_change(binding)) return show(pass, *problem);
  const auto secret = pass.view.get(kSecrets, binding.ns(), binding.secret_name());
  const bool current = binding.reconciled_generation() == binding.generation() &&
                       (binding.written_secret().empty() || binding.written_secret() == binding.secret_name());
  if (current && secret && owns(binding, secret) && intact(secret)) {
    if (condition_true(binding.status(), kReady)) return Step::done();
    // It was not while the broker was missing, and somebody else has put it right.
    auto draft = pass.draft();
    clear_retry(draft.status());
    set_condition(draft.status(), kReady, Truth::kTrue, reason::kInjected, kBoundMessage, pass.now());
    return save_status(std::move(draft), {normal(reason::kInjected, kBoundMessage)});
  }
  if (pass.now() < next_attempt_of(binding.status())) return Step::wait_until(next_attempt_of(binding.status()));
  // A namespace that is being emptied takes no new secret; the binding itself goes next.
  if (const auto space = pass.view.get(kNamespaces, "", binding.ns()); space && space.deleting()) return Step::done();
  if (auto problem = obstacle(binding, pass.view)) return show(pass, *problem);
  if (auto problem = missing_broker(binding.target(), pass.view)) return show(pass, *problem);
  auto draft = pass.draft();
  begin_operation(draft.status(), "Bind", pass.settings, pass.now());
  draft.status()["inProgressProperties"] = binding.external();
  set_condition(draft.status(), kReady, Truth::kFalse, reason::kBindRequestInFlight,
                "The secret is being written anew with the credentials of the broker.", pass.now());
  return save_status(std::move(draft));
}

}  // namespace

Step decide(BindingPass& pass) {
  const auto& binding = pass.binding;
  const bool seen = binding.reconciled_generation() == binding.generation();
  // Also what was protected before: who replaces a secret leaves the finalizer out.
  if (auto step = protect_secrets_of(binding.object(), pass.view)) return *std::move(step);
  if (seen && condition_true(binding.status(), kFailed)) return Step::done();
  if (binding.bound()) return keep(pass);
  const auto next = std::max(next_attempt_of(binding.status()), quiet_until_of(binding.status()));
  if (pass.now() < next) return Step::wait_until(next);

  if (auto problem = malformed_id(binding.object())) return show(pass, *problem);
  if (auto problem = claimed_id(kBindings, binding.object(), pass.view)) return show(pass, *problem);
  auto instance = find_instance(pass);
  if (!instance.ok()) return show(pass, instance.error());
  auto offer = find_offer(*instance, pass.view);
  if (!offer.ok()) return show(pass, offer.error());
  if (!offer->plan.bindable().value_or(offer->service_class.bindable())) {
    return refuse(pass, reason::kNotBindable,
                  fmt::format("Instances of class \"{}\" and plan \"{}\" cannot be bound.",
                              offer->service_class.external_name(), offer->plan.external_name()));
  }
  if (instance->object().deleting() || !condition_true(instance->status(), kReady) ||
      json::bool_at(instance->status(), "instanceUsable") == false) {
    return show(pass, {reason::kInstanceNotReady,
                       fmt::format("Instance \"{}\" is not ready; the binding waits for it.", instance->name())});
  }
  if (auto problem = obstacle(binding, pass.view)) return show(pass, *problem);
  return begin(pass, *instance, *offer);
}

}  // namespace chandler::reconcilers
