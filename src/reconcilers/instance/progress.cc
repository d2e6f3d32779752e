// Beginning an operation and carrying it out: from what the spec says to a request at the broker.
#include <fmt/format.h>

#include "base/time_text.h"
#include "reconcilers/catalog/claimed_id.h"
#include "reconcilers/catalog/late_request.h"
#include "reconcilers/catalog/operation.h"
#include "reconcilers/catalog/parameters.h"
#include "reconcilers/catalog/reasons.h"
#include "reconcilers/instance/changes.h"
#include "reconcilers/instance/instance_secrets.h"
#include "reconcilers/instance/pass.h"
#include "reconcilers/instance/plan_change.h"
#include "reconcilers/instance/requests.h"
#include "reconcilers/instance/resolution.h"
#include "reconcilers/secrets/secret_protection.h"
#include "resolve/merge_parameters.h"
#include "resolve/parameter_schema.h"

namespace chandler::reconcilers {
namespace {

using controller::Step;

constexpr size_t kProperties = 9;      // of an operation, at most
constexpr size_t kStatusMembers = 16;  // while it is under way, about

// All that an operation needs to know before it begins.
struct Plan {
  Resolution resolution;
  Parameters parameters;
  bool merged = false;  // defaults were merged in, for the first and only time
  resolve::MergedParameters merge;
};

// An intent may have been sent, for all that a later run knows, so it is not stored for a broker that cannot be asked
// to take it back: broker/broker_deletion.cc relies on that.
std::optional<Problem> closed_broker(const BrokerRef& ref, controller::View& view) {
  const auto broker = broker_object(ref, view);
  if (!broker) {
    return Problem{reason::kNoSuchBroker,
                   fmt::format("The {} \"{}\" does not exist. Register it, or choose another class.",
                               names_of(ref.scope).broker_kind, ref.lane())};
  }
  if (!broker.deleting()) return std::nullopt;
  return Problem{
      reason::kNoSuchBroker,
      fmt::format("Broker \"{}\" is being deleted and takes no new instances; choose another class.", broker.name())};
}

Found<Plan> plan_operation(InstancePass& pass) {
  const auto& instance = pass.instance;
  if (!instance.provisioned()) {
    if (auto problem = malformed_id(instance.object())) return *std::move(problem);
    if (auto problem = claimed_id(kInstances, instance.object(), pass.view)) return *std::move(problem);
  }
  auto resolution = resolve_instance(instance, pass.settings, pass.view);
  if (!resolution.ok()) return fail(std::move(resolution).error());
  Plan plan{*std::move(resolution), {}, false, {}};
  if (!pass.settings.service_types) plan.resolution.service_type.clear();

  if (!instance.provisioned()) {
    if (auto problem = closed_broker(plan.resolution.plan.broker(), pass.view)) return *std::move(problem);
  }
  if (auto problem = refused_move(instance, plan.resolution, pass.view)) return *std::move(problem);
  const bool moves = instance.external_target().plan_id != plan.resolution.plan.external_id();
  if (!instance.provisioned() || moves) {
    if (plan.resolution.service_class.removed()) {
      return Problem{reason::kClassRemoved, fmt::format("Class \"{}\" has been removed from its broker's catalog.",
                                                        plan.resolution.service_class.external_name())};
    }
    if (plan.resolution.plan.removed()) {
      return Problem{reason::kPlanRemoved, fmt::format("Plan \"{}\" has been removed from its broker's catalog.",
                                                       plan.resolution.plan.external_name())};
    }
  }
  auto secrets = read_parameter_secrets(instance.spec(), instance.ns(), pass.view);
  if (!secrets.ok()) return fail(std::move(secrets).error());
  const json::Value* own = &member(instance.spec(), "parameters");
  if (!instance.provisioned() && !instance.has_class() && pass.settings.service_plan_defaults) {
    const resolve::ParameterLayer layers[] = {{"Class", &plan.resolution.service_class.default_provision_parameters()},
                                              {"Plan", &plan.resolution.plan.default_provision_parameters()},
                                              {"Instance", own}};
    auto merged = resolve::merge_parameters(layers, resolve::keys_of(*secrets));
    if (!merged.ok()) return Problem{reason::kErrorWithParameters, merged.error().message};
    plan.merged = true;
    plan.merge = *std::move(merged);
    own = &plan.merge.value;
  }
  auto parameters = join_parameters(*own, *secrets, instance.object(), pass.settings);
  if (!parameters.ok()) return fail(std::move(parameters).error());
  plan.parameters = *std::move(parameters);

  const auto& schema =
      instance.provisioned() ? plan.resolution.plan.update_schema() : plan.resolution.plan.create_schema();
  const auto check = resolve::validate_parameters(schema, plan.parameters.value);
  if (!check.ok()) {
    return Problem{reason::kInvalidParameters,
                   fmt::format("The parameters do not fit the schema of plan \"{}\": {}.",
                               plan.resolution.plan.external_name(), resolve::describe_faults(check.faults))};
  }
  return plan;
}

// As tables show them: what the user gave, else what was found.
void show_names(json::Object& status, const InstanceView& instance, const Resolution& resolution) {
  const auto& names = names_of(resolution.plan.scope());
  const auto first = [&](std::string_view a, std::string_view b, std::string_view c, const std::string& otherwise) {
    for (const auto field : {a, b, c}) {
      if (auto value = text_at(instance.spec(), field); !value.empty()) return value;
    }
    return otherwise;
  };
  const auto service_class = first(names.class_external_name, names.class_external_id, names.class_name,
                                   resolution.service_class.external_name());
  status["userSpecifiedClassName"] = text(fmt::format("{}/{}", names.class_kind, service_class));
  status["userSpecifiedPlanName"] =
      text(first(names.plan_external_name, names.plan_external_id, names.plan_name, resolution.plan.external_name()));
}

void write_properties(json::Object& properties, const InstanceView& instance, const Plan& plan) {
  properties.reserve(kProperties);
  write_target(properties, plan.resolution.service_class, plan.resolution.plan);
  if (plan.parameters.value.is_object()) {
    properties["parameters"] = plan.parameters.redacted;
    properties["parameterChecksum"] = text(plan.parameters.checksum);
  }
  if (const auto requests = number_at(instance.spec(), "updateRequests"); requests != 0)
    properties["updateRequests"] = requests;
  if (const auto& user = member(instance.spec(), "userInfo"); user.is_object()) properties["userInfo"] = user;
}

// Who set what, after somebody has changed the parameters: a value that is still as a default had it came from there.
void tell_sources(const json::Value& now, const json::Value& defaults, const json::Value& recorded,
                  std::string& pointer, json::Object& sources) {
  const auto* object = now.if_object();
  if (object == nullptr || object->empty()) {
    const auto from = text_at(recorded, pointer);
    const bool is_default = !from.empty() && json::equal(now, defaults);
    if (!pointer.empty()) sources[pointer] = text(is_default ? from : "Instance");
    return;
  }
  const size_t size = pointer.size();
  for (const auto& entry : *object) {
    const std::string_view key = entry.key();
    resolve::append_pointer(pointer, key);
    tell_sources(entry.value(), member(defaults, key), recorded, pointer, sources);
    pointer.resize(size);
  }
}

// The spec is going to be completed with what was found.
bool completes_spec(const InstanceView& instance, const Resolution& resolution) {
  const auto scope = resolution.plan.scope();
  return instance.class_ref(scope) != resolution.service_class.name() ||
         instance.plan_ref(scope) != resolution.plan.name();
}

// References, and the merged parameters with them, once: that both stand in one write tells later runs that the merge
// is done.
client::Write completed_spec(Draft draft, Scope scope, std::string_view class_name, std::string_view plan_name,
                             const json::Value* parameters) {
  const auto& names = names_of(scope);
  if (parameters != nullptr) {
    if (parameters->as_object().empty()) {
      draft.spec().erase("parameters");
    } else {
      draft.spec()["parameters"] = *parameters;
    }
  }
  object_in(draft.spec(), names.class_ref)["name"] = text(class_name);
  object_in(draft.spec(), names.plan_ref)["name"] = text(plan_name);
  return std::move(draft).update();
}

// The spec lacks what was found. Unless it is the spec for which it was found, somebody else has changed it since.
bool spec_incomplete(const InstanceView& instance, const json::Value& resolution) {
  const auto scope = text_at(resolution, "scope") == "Cluster" ? Scope::kCluster : Scope::kNamespace;
  return resolution.is_object() && (instance.class_ref(scope) != text_at(resolution, "className") ||
                                    instance.plan_ref(scope) != text_at(resolution, "planName"));
}

// What proceed() will send when this status is stored; none: let it see to that.
std::optional<controller::BrokerCall> first_request(InstancePass& pass, const Plan& plan, const json::Value& status) {
  const auto& instance = pass.instance;
  const auto space = pass.view.get(kNamespaces, "", instance.ns());
  if (!space) return std::nullopt;
  const auto target = read_target(member(status, "inProgressProperties"), instance.ns());
  auto call = call_to(target, provision_call(instance, target, plan.parameters.value, space.uid(), pass.settings),
                      intent_of(status), secrets_of(instance, status, plan.resolution.plan, pass.settings, pass.view),
                      pass.settings, pass.view);
  if (!call.ok()) return std::nullopt;
  return *std::move(call);
}

Step begin(InstancePass& pass, Plan plan) {
  const auto& instance = pass.instance;
  const bool update = instance.provisioned();
  const bool completes = completes_spec(instance, plan.resolution);
  auto draft = pass.draft();
  auto& status = draft.status();
  status.reserve(kStatusMembers);  // growing would leave what was too small behind
  std::vector<controller::Note> notes;

  if (instance.observed_generation() != instance.generation()) clear_retry(status);  // another request, a fresh start
  begin_operation(status, operation_name(update ? InstanceOperation::kUpdate : InstanceOperation::kProvision),
                  pass.settings, pass.now());
  write_properties(status["inProgressProperties"].emplace_object(), instance, plan);
  status["observedGeneration"] = instance.generation() + (completes ? 1 : 0);
  if (!update) status["deprovisionStatus"] = "Required";
  show_names(status, instance, plan.resolution);
  if (completes) {
    auto described = describe(plan.resolution, status.storage());
    described["time"] = text(rfc3339(pass.now()));
    status["resolution"] = std::move(described);
    if (plan.resolution.rule != "Named") notes.push_back(normal(reason::kPlanChosen, plan.resolution.message));
  }
  if (plan.merged) {
    status["defaultProvisionParameters"] = plan.merge.defaults;
    auto& sources = status["parameterSources"].emplace_object();
    for (const auto& [pointer, source] : plan.merge.sources) sources[pointer] = text(source);
    if (!plan.merge.defaults.as_object().empty()) {
      notes.push_back(
          normal(reason::kDefaultsApplied,
                 fmt::format("Parameters were completed with the defaults of class \"{}\" and plan \"{}\".",
                             plan.resolution.service_class.external_name(), plan.resolution.plan.external_name())));
    }
  } else if (const auto& recorded = member(instance.status(), "parameterSources"); recorded.is_object()) {
    json::Object sources;
    std::string pointer;
    tell_sources(member(instance.spec(), "parameters"), member(instance.status(), "defaultProvisionParameters"),
                 recorded, pointer, sources);
    status["parameterSources"] = std::move(sources);
  }
  remove_condition(status, kFailed);
  set_condition(status, kReady, Truth::kFalse,
                update ? reason::kUpdateRequestInFlight : reason::kProvisionRequestInFlight,
                update ? "The request to update the instance is about to be sent."
                       : "The request to provision the instance is about to be sent.",
                pass.now());
  std::optional<controller::BrokerCall> call;
  const auto& planned = member(draft.root(), "status");
  const bool is_complete = completes || !spec_incomplete(instance, member(planned, "resolution"));
  if (!update && is_complete) call = first_request(pass, plan, planned);
  auto spec = draft.beside();
  auto step = save_status(std::move(draft), std::move(notes));
  step.call = std::move(call);
  if (completes) {
    step.stages.push_back({});
    step.stages.back().push_back(completed_spec(std::move(spec), plan.resolution.plan.scope(),
                                                plan.resolution.service_class.name(), plan.resolution.plan.name(),
                                                plan.merged ? &plan.merge.value : nullptr));
  }
  return step;
}

// When the step that began the operation ended between its two writes.
Step complete_spec(InstancePass& pass, const json::Value& resolution) {
  const auto scope = text_at(resolution, "scope") == "Cluster" ? Scope::kCluster : Scope::kNamespace;
  std::optional<json::Value> parameters;
  if (!pass.instance.provisioned() && !pass.instance.has_class()) {
    auto secrets = read_parameter_secrets(pass.instance.spec(), pass.instance.ns(), pass.view);
    if (!secrets.ok())
      return secrets.error().reason.empty() ? Step::done() : show_problem(pass.draft(), secrets.error(), pass.now());
    const auto& defaults = member(pass.instance.status(), "defaultProvisionParameters");
    const resolve::ParameterLayer layers[] = {{"Defaults", &defaults},
                                              {"Instance", &member(pass.instance.spec(), "parameters")}};
    auto merged = resolve::merge_parameters(layers, resolve::keys_of(*secrets));
    if (!merged.ok())
      return show_problem(pass.draft(), {reason::kErrorWithParameters, merged.error().message}, pass.now());
    if (defaults.is_object()) parameters = std::move(merged->value);
  }
  return Step::write(completed_spec(pass.draft(), scope, text_at(resolution, "className"),
                                    text_at(resolution, "planName"), parameters ? &*parameters : nullptr));
}

// False for a change of the spec that the broker need not hear of, such as another deletionPolicy.
bool concerns_broker(const InstanceView& instance, const Plan& plan) {
  return !instance.provisioned() || !condition_true(instance.status(), kReady) ||
         completes_spec(instance, plan.resolution) ||
         instance.external_target().plan_id != plan.resolution.plan.external_id() ||
         !has_parameters(instance.external(), plan.parameters) ||
         number_at(instance.external(), "updateRequests") != number_at(instance.spec(), "updateRequests");
}

Step acknowledge(InstancePass& pass, const Plan& plan) {
  auto draft = pass.draft();
  // The same parameters; but the checksum may still be one with a key that was lost.
  if (!plan.parameters.checksum.empty())
    object_in(draft.status(), "externalProperties")["parameterChecksum"] = text(plan.parameters.checksum);
  draft.status()["observedGeneration"] = pass.instance.generation();
  draft.status()["reconciledGeneration"] = pass.instance.generation();
  return save_status(std::move(draft));
}

// What would be sent now is no longer what was recorded. What may have arrived is settled first.
Step start_over(InstancePass& pass, std::string_view why) {
  auto draft = pass.draft();
  if (pass.instance.operation() == InstanceOperation::kProvision && pass.instance.needs_deprovision()) {
    note_dead_run(draft.status(), pass.instance.status(), pass.settings, pass.now());
    begin_clean_up(draft.status(), reason::kStartingMitigation, reason::kProvisionCallFailed, why, pass.settings,
                   pass.now(),
                   began_here(pass.instance.status(), pass.settings) ? std::chrono::milliseconds(0)
                                                                     : pass.settings.osb_api_request_timeout);
    return save_status(std::move(draft), {warning(reason::kStartingMitigation, why)});
  }
  note_unconfirmed(draft.status(), pass.instance);
  end_operation(draft.status());
  return save_status(std::move(draft));
}

}  // namespace

Step decide(InstancePass& pass) {
  const auto& instance = pass.instance;
  const bool seen = instance.observed_generation() == instance.generation();
  // Also what was protected before: who replaces a secret leaves the finalizer out.
  if (auto step = protect_secrets_of(instance.object(), pass.view)) return *std::move(step);
  if (seen && condition_true(instance.status(), kFailed)) return Step::done();
  if (seen && instance.provisioned() && instance.reconciled_generation() == instance.generation()) return Step::done();
  if (seen && pass.now() < next_attempt_of(instance.status()))
    return Step::wait_until(next_attempt_of(instance.status()));
  if (pass.now() < quiet_until_of(instance.status())) return Step::wait_until(quiet_until_of(instance.status()));

  auto plan = plan_operation(pass);
  if (plan.ok()) return concerns_broker(instance, *plan) ? begin(pass, *std::move(plan)) : acknowledge(pass, *plan);
  if (plan.error().reason.empty()) return Step::done();
  auto draft = pass.draft();
  if (!seen) remove_condition(draft.status(), kFailed);
  return show_problem(std::move(draft), plan.error(), pass.now());
}

Step proceed(InstancePass& pass) {
  const auto& instance = pass.instance;
  const bool update = instance.operation() == InstanceOperation::kUpdate;
  const auto& resolution = member(instance.status(), "resolution");
  const bool incomplete = spec_incomplete(instance, resolution);
  if (incomplete && instance.generation() + 1 == instance.observed_generation()) return complete_spec(pass, resolution);
  if (incomplete || instance.generation() != instance.observed_generation()) {
    return start_over(pass,
                      "The spec changed while a request was under way; what that may have left is removed first.");
  }
  if (pass.now() < next_attempt_of(instance.status())) return Step::wait_until(next_attempt_of(instance.status()));

  auto parameters = parameters_of(instance.object(), pass.settings, pass.view);
  if (!parameters.ok()) {
    if (parameters.error().reason.empty()) return Step::done();
    return show_problem(pass.draft(), parameters.error(), pass.now());
  }
  if (!has_parameters(instance.in_progress(), *parameters)) {
    return start_over(
        pass,
        "The parameters from secrets changed while a request was under way; what that may have left is removed first.");
  }
  const auto target = instance.in_progress_target();
  if (update) {
    UpdateRequest request{instance.external_target(), target, !has_parameters(instance.external(), *parameters),
                          parameters->value};
    // After an update that nobody confirmed the broker is told everything, whatever we believe that it has.
    request.with_plan = request.after.plan_id != request.before.plan_id;
    if (!instance.unconfirmed().empty()) request.with_plan = request.with_parameters = true;
    return call_broker(pass.draft(), target, update_call(instance, request, pass.settings), intent_of(instance),
                       secrets_of(instance, pass.settings, pass.view), pass.settings, pass.view);
  }
  if (!instance.needs_deprovision()) {  // the last attempt left nothing behind; this one may
    auto draft = pass.draft();
    draft.status()["deprovisionStatus"] = "Required";
    return save_status(std::move(draft));
  }
  const auto space = pass.view.get(kNamespaces, "", instance.ns());
  if (!space) {
    return show_problem(
        pass.draft(), {reason::kErrorFindingNamespace, fmt::format("Namespace \"{}\" does not exist.", instance.ns())},
        pass.now());
  }
  return call_broker(pass.draft(), target,
                     provision_call(instance, target, parameters->value, space.uid(), pass.settings),
                     intent_of(instance), secrets_of(instance, pass.settings, pass.view), pass.settings, pass.view);
}

}  // namespace chandler::reconcilers
