// svcat set instance
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "svcat/catalog/fields.h"
#include "svcat/catalog/input.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"
#include "svcat/instances/describe.h"
#include "svcat/wait.h"

namespace chandler::svcat {
namespace {

// Another plan of the same class, named the way in which the instance names its class.
Result<void> write_plan(Call& call, const std::string& name, json::Object& object) {
  const json::Value instance(object);
  CH_TRY_LET(service_class, class_of(call, instance));
  if (service_class.is_null()) {
    return bad_request(
        fmt::format("instance {} has no class yet; its plan can be changed when it has", name_of(instance)));
  }
  CH_TRY_LET(plan, find_plan_of(call, service_class, name));
  const auto& names = names_of(scope_of(plan));
  auto& spec = object["spec"].as_object();
  const auto id_field = fmt::format("{}ExternalID", names.plan_name.substr(0, names.plan_name.size() - 4));
  const auto class_id = fmt::format("{}ExternalID", names.class_name.substr(0, names.class_name.size() - 4));
  for (const std::string_view field :
       {names.plan_external_name, std::string_view(id_field), names.plan_name, names.plan_ref}) {
    spec.erase(field);
  }
  if (!text_at(instance, {"spec", names.class_name}).empty()) {
    spec[names.plan_name] = name_of(plan);
  } else if (!text_at(instance, {"spec", class_id}).empty()) {
    spec[id_field] = text_at(plan, {"spec", "externalID"});
  } else {
    spec[names.plan_external_name] = external_name_of(plan);
  }
  return {};
}

// --param changes single values, --params-json all of them.
Result<void> write_parameters(const Call& call, json::Object& spec) {
  CH_TRY_LET(parameters, read_parameters(call));
  if (call.given("params-json")) {
    spec["parameters"] = std::move(parameters);
    return {};
  }
  auto& now = spec["parameters"];
  if (!now.is_object()) now = json::Object();
  for (const auto& [key, value] : parameters) now.get_object()[key] = value;
  return {};
}

Result<int> run_set_instance(Call& call) {
  CH_TRY(read_parameters(call));
  CH_TRY_LET(from, read_parameters_from(call));
  CH_TRY(call.duration("timeout"));
  const bool parameters = call.given("param") || call.given("params-json");
  if (!parameters && from.empty() && !call.given("plan")) {
    return usage_error("set instance needs something to set: --plan, --param, --params-json or --secret");
  }
  CH_TRY_LET(ns, call.ns());
  CH_TRY_LET(instance, find_named(call, instances_kind(), ns, call.argument(0)));
  CH_TRY_LET(catalog, call.catalog());
  CH_TRY_LET(changed,
             catalog->change(instances_kind(), ns, name_of(instance), [&](json::Object& object) -> Result<void> {
               if (!object["spec"].is_object()) object["spec"] = json::Object();
               if (call.given("plan")) CH_TRY(write_plan(call, call.flag("plan"), object));
               auto& spec = object["spec"].as_object();
               if (parameters) CH_TRY(write_parameters(call, spec));
               if (!from.empty()) spec["parametersFrom"] = from;
               return {};
             }));
  if (call.is_set("wait")) {
    CH_TRY_LET(waited, wait_until_settled(call, instances_kind(), ns, name_of(instance)));
    if (waited.how == Waited::kInterrupted) return kInterruptedCode;
    if (waited.how == Waited::kFailed) {
      return bad_request(
          fmt::format("instance {} could not be updated: {}", name_of(instance), status_sentence(waited.object)));
    }
    changed = std::move(waited.object);
  }
  fmt::print(call.out(), "instance {} updated\n", name_of(instance));
  return 0;
}

}  // namespace

Command set_instance() {
  return {.verb = "set",
          .noun = "instance",
          .noun_aliases = {"instances", "inst"},
          .arguments = "NAME",
          .min_arguments = 1,
          .max_arguments = 1,
          .summary = "Change plan or parameters of an instance",
          .details = "--param changes single values, --params-json replaces all of them.",
          .examples = {"set instance mydb --plan premium-p1 --wait", "set instance mydb --param location=eastus"},
          .flags = flags_of({{{"plan", 0, "NAME", "Another plan of its class", "", false, Offer::kPlans}},
                             parameter_flags(),
                             {namespace_flag(), kube_name_flag()},
                             wait_flags()}),
          .offer = Offer::kInstances,
          .run = run_set_instance};
}

}  // namespace chandler::svcat
