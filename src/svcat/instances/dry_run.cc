// svcat provision --dry-run: the same decisions as the controller's, made here.
#include <set>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/text.h"
#include "resolve/default_plan.h"
#include "resolve/merge_parameters.h"
#include "resolve/parameter_schema.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/catalog/parameter_sources.h"
#include "svcat/catalog/secret_parameters.h"
#include "svcat/instances/request.h"
#include "svcat/output/details.h"
#include "svcat/output/format.h"

namespace chandler::svcat {
namespace {

// With what its class says, if that is known.
resolve::PlanCandidate candidate_of(const json::Value& plan, const json::Value& service_class) {
  auto candidate = resolve::plan_candidate(
      plan, scope_of(plan) == Scope::kCluster ? resolve::PlanScope::kCluster : resolve::PlanScope::kNamespace);
  candidate.service_type = effective_type(plan, service_class);
  if (!service_class.is_null()) candidate.class_external_name = external_name_of(service_class);
  return candidate;
}

// The types of all classes usable from the namespace, for the error about one that nobody has, as the controller says
// it.
Result<std::vector<std::string>> known_types(Call& call, const std::string& ns) {
  CH_TRY_LET(catalog, call.catalog());
  std::set<std::string> types;
  for (const auto scope : {Scope::kNamespace, Scope::kCluster}) {
    CH_TRY_LET(classes, catalog->list(names_of(scope).classes, ns));
    for (const auto& one : classes) {
      if (!is_removed(one) && !is_deleting(one) && !type_of(one).empty()) types.insert(type_of(one));
    }
  }
  return std::vector<std::string>(types.begin(), types.end());
}

struct Decided {
  json::Value service_class;
  json::Value plan;
  std::string why;
};

Result<Decided> decide(Call& call, const InstanceRequest& request) {
  CH_TRY_LET(catalog, call.catalog());
  const auto type = type_of(request.object);
  std::vector<json::Value> plans;
  resolve::PlanRequest wanted;
  wanted.namespace_name = request.ns;
  wanted.service_type = type;
  if (!request.service_class.is_null()) {
    const auto& names = names_of(scope_of(request.service_class));
    CH_TRY_LET(of_class,
               catalog->list(names.plans, namespace_of(request.service_class),
                             {{fmt::format("spec.{}.name", names.class_ref), name_of(request.service_class)}}));
    plans = std::move(of_class);
    wanted.class_name = name_of(request.service_class);
    wanted.class_external_name = external_name_of(request.service_class);
    wanted.class_service_type = type_of(request.service_class);
    wanted.scope = names.scope == Scope::kCluster ? resolve::PlanScope::kCluster : resolve::PlanScope::kNamespace;
    wanted.plan = request.plan.is_null() ? "" : name_of(request.plan);
  } else {
    for (const auto scope : {Scope::kNamespace, Scope::kCluster}) {
      CH_TRY_LET(of_type, catalog->list(names_of(scope).plans, request.ns, {{"spec.serviceType", type}}));
      for (auto& plan : of_type) plans.push_back(std::move(plan));
    }
  }
  std::vector<resolve::PlanCandidate> candidates;
  for (const auto& plan : plans) {
    json::Value owner = request.service_class;
    if (owner.is_null() && (is_default(plan) || is_suggested(plan))) {
      CH_TRY_LET(found, class_of(call, plan));  // named in messages
      owner = std::move(found);
    }
    candidates.push_back(candidate_of(plan, owner));
  }
  std::vector<std::string> types;
  if (candidates.empty() && !type.empty()) {
    CH_TRY_LET(known, known_types(call, request.ns));
    types = std::move(known);
  }
  const auto decision = resolve::decide_plan(wanted, candidates, types);
  if (decision.outcome != resolve::PlanOutcome::kChosen) return bad_request(decision.message);
  Decided decided{request.service_class, plans[decision.index], decision.message};
  if (decided.service_class.is_null()) {
    CH_TRY_LET(owner, class_of(call, decided.plan));
    decided.service_class = std::move(owner);
  }
  return decided;
}

void show(Call& call, const InstanceRequest& request, const Decided& decided, const ParameterSources& parameters,
          const SecretKeys& secrets) {
  Details details(call.out(), call.style());
  call.out() << "Dry run: nothing was created, no broker was asked.\n\n";
  details.add("Name", name_of(request.object));
  details.add("Namespace", request.ns);
  details.add_if("Type", effective_type(decided.plan, decided.service_class));
  details.add("Class", fmt::format("{} ({})", external_name_of(decided.service_class), name_of(decided.service_class)));
  details.add("Plan", fmt::format("{} ({})", external_name_of(decided.plan), name_of(decided.plan)));
  details.add("Broker", broker_of(decided.plan));
  details.add("Why", decided.why);
  details.section("Parameters");
  if (parameters.sources.empty()) {
    details.line("No parameters");
  } else {
    print_parameter_table(call, parameters);
  }
  for (const auto& note : secrets.notes) details.line(fmt::format("Unknown: {}", note));
}

}  // namespace

Result<int> show_instance_request(Call& call, const InstanceRequest& request) {
  CH_TRY_LET(format, parse_format(call.flag("output")));
  CH_TRY_LET(decided, decide(call, request));
  CH_TRY_LET(secrets, secret_keys(call, request.ns, request.object));
  const resolve::ParameterLayer layers[] = {
      {"Class", json::find_path(decided.service_class, {"spec", "defaultProvisionParameters"})},
      {"Plan", json::find_path(decided.plan, {"spec", "defaultProvisionParameters"})},
      {"Instance", json::find_path(request.object, {"spec", "parameters"})},
  };
  CH_TRY_LET(merged, resolve::merge_parameters(layers, secrets.keys));
  auto object = request.object;
  const auto& names = names_of(scope_of(decided.plan));
  auto& spec = object.as_object()["spec"].as_object();
  if (merged.value.as_object().empty()) {
    spec.erase("parameters");  // there may have been nulls
  } else {
    spec["parameters"] = merged.value;
  }
  spec[names.class_ref] = json::Object{{"name", name_of(decided.service_class)}};
  spec[names.plan_ref] = json::Object{{"name", name_of(decided.plan)}};
  ParameterSources parameters{merged.value,
                              merged.sources,
                              {{"Class", "class " + external_name_of(decided.service_class)},
                               {"Plan", "plan " + external_name_of(decided.plan)},
                               {"Instance", "instance (you)"}}};
  for (const auto& [key, source] : secrets.sources) {
    parameters.parameters.as_object()[key] = "<redacted>";
    parameters.sources["/" + key] = source;
  }
  if (format.is_table()) {
    show(call, request, decided, parameters, secrets);
  } else {
    CH_TRY(print_object(call.out(), format, object));
  }
  const auto* schema = json::find_path(decided.plan, {"spec", "instanceCreateParameterSchema"});
  // What comes from secrets is not known here, so nothing can be said about the whole.
  if (schema == nullptr || json::find_path(request.object, {"spec", "parametersFrom"}) != nullptr) return 0;
  const auto check = resolve::validate_parameters(*schema, merged.value);
  if (!check.ok()) {
    return bad_request(fmt::format("the parameters do not fit the schema of plan {}: {}",
                                   external_name_of(decided.plan), resolve::describe_faults(check.faults)));
  }
  return 0;
}

}  // namespace chandler::svcat
