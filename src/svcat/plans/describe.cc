// svcat describe plan
#include <fmt/format.h>

#include "base/text.h"
#include "svcat/catalog/describe_offer.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"
#include "svcat/output/details.h"
#include "svcat/output/table.h"

namespace chandler::svcat {
namespace {

Result<void> add_instances(Call& call, Details& details, const json::Value& plan) {
  CH_TRY_LET(catalog, call.catalog());
  const auto& names = names_of(scope_of(plan));
  const auto instances = catalog->list(instances_kind(), namespace_of(plan),
                                       {{fmt::format("spec.{}.name", names.plan_ref), name_of(plan)}});
  details.section("Instances");
  if (!instances.ok()) {
    if (instances.error().reason != Reason::kForbidden) return instances.error();
    details.line("You may not list the instances of all namespaces");
    return {};
  }
  if (instances->empty()) {
    details.line("No instances defined");
    return {};
  }
  Table table(call.out(), {{"NAME"}, {"NAMESPACE"}, {"STATUS"}}, call.style());
  for (const auto& instance : *instances) {
    const auto status = status_word(instance);
    table.add({name_of(instance), namespace_of(instance), {status, color_of_status(status)}});
  }
  table.flush();
  return {};
}

std::string attributes_of(const json::Value& plan) {
  std::vector<std::string> all;
  if (const auto* attributes = json::find_path(plan, {"spec", "attributes"});
      attributes != nullptr && attributes->is_object()) {
    for (const auto& [key, value] : attributes->get_object()) {
      if (value.is_string()) all.push_back(fmt::format("{}={}", std::string_view(key), json::view(value.get_string())));
    }
  }
  return join(all, ", ");
}

Result<int> run_describe_plan(Call& call) {
  CH_TRY_LET(places, places_to_search(call));
  CH_TRY_LET(plan, find_plan(call, places, call.argument(0)));
  CH_TRY_LET(service_class, class_of(call, plan));
  Details details(call.out(), call.style());
  details.add("Name", external_name_of(plan));
  add_scope(details, plan);
  details.add_if("Type", effective_type(plan, service_class));
  details.add("Default", is_default(plan) ? "true" : "false");
  if (is_suggested(plan)) details.add("Suggested", "true");
  details.add("Description", text_at(plan, {"spec", "description"}));
  details.add("Kubernetes Name", name_of(plan));
  details.add("Status", is_removed(plan) ? "Deprecated" : "Active", is_removed(plan) ? Color::kYellow : Color::kGreen);
  details.add("Free", true_at(plan, {"spec", "free"}) ? "true" : "false");
  details.add("Class", service_class.is_null() ? class_ref_of(plan) : external_name_of(service_class));
  details.add_if("Attributes", attributes_of(plan));
  details.flush();
  add_defaults(details, plan);
  CH_TRY(add_instances(call, details, plan));
  if (call.is_set("show-schemas")) {
    details.yaml_section("Instance Create Parameter Schema",
                         json::find_path(plan, {"spec", "instanceCreateParameterSchema"}));
    details.yaml_section("Instance Update Parameter Schema",
                         json::find_path(plan, {"spec", "instanceUpdateParameterSchema"}));
    details.yaml_section("Binding Create Parameter Schema",
                         json::find_path(plan, {"spec", "serviceBindingCreateParameterSchema"}));
  }
  return 0;
}

}  // namespace

Command describe_plan() {
  return {.verb = "describe",
          .noun = "plan",
          .noun_aliases = {"plans", "pl"},
          .arguments = "NAME or CLASS/NAME",
          .min_arguments = 1,
          .max_arguments = 1,
          .summary = "Show what is known about a plan, its defaults, schemas and instances",
          .details = "Looks in the namespace first, then in the cluster.",
          .examples = {"describe plan azure-mysql/basic50", "describe plan basic50 --show-schemas=false"},
          .flags = {{"show-schemas", 0, "", "Show the schemas of the parameters", "true"},
                    cluster_flag(),
                    scope_flag(),
                    namespace_flag(),
                    kube_name_flag()},
          .offer = Offer::kPlans,
          .run = run_describe_plan};
}

}  // namespace chandler::svcat
