// svcat describe instance
#include "svcat/instances/describe.h"

#include <fmt/format.h>

#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"
#include "svcat/output/table.h"

namespace chandler::svcat {
namespace {

Result<void> add_bindings(Call& call, Details& details, const json::Value& instance) {
  CH_TRY_LET(catalog, call.catalog());
  const auto bindings =
      catalog->list(bindings_kind(), namespace_of(instance), {{"spec.instanceRef.name", name_of(instance)}});
  details.section("Bindings");
  if (!bindings.ok()) {
    if (bindings.error().reason != Reason::kForbidden) return bindings.error();
    details.line("You may not list bindings");
    return {};
  }
  if (bindings->empty()) {
    details.line("No bindings defined");
    return {};
  }
  Table table(call.out(), {{"NAME"}, {"STATUS"}}, call.style());
  for (const auto& binding : *bindings) {
    const auto status = status_word(binding);
    table.add({name_of(binding), {status, color_of_status(status)}});
  }
  table.flush();
  return {};
}

// Names as users know them cost a request each, and only where the instance itself does not say.
Result<std::string> class_name_for(Call& call, const json::Value& instance) {
  const auto shown = class_shown(instance);
  if (shown.empty() || shown != class_ref_of(instance)) return shown;
  CH_TRY_LET(service_class, class_of(call, instance));
  return service_class.is_null() ? shown : external_name_of(service_class);
}

Result<std::string> plan_name_for(Call& call, const json::Value& instance) {
  const auto shown = plan_shown(instance);
  if (shown.empty() || shown != plan_ref_of(instance)) return shown;
  CH_TRY_LET(plan, plan_of(call, instance));
  return plan.is_null() ? shown : external_name_of(plan);
}

Result<int> run_describe_instance(Call& call) {
  CH_TRY_LET(ns, call.ns());
  CH_TRY_LET(instance, find_named(call, instances_kind(), ns, call.argument(0)));
  // Without the right to read the catalog the object names must do.
  const auto class_name = class_name_for(call, instance);
  const auto plan_name = plan_name_for(call, instance);
  Details details(call.out(), call.style());
  describe_instance_to(call, details, instance, class_name.ok() ? *class_name : class_shown(instance),
                       plan_name.ok() ? *plan_name : plan_shown(instance));
  CH_TRY(add_bindings(call, details, instance));
  return 0;
}

}  // namespace

void add_parameters(Details& details, const json::Value& object) {
  details.section("Parameters");
  const auto* parameters = json::find_path(object, {"spec", "parameters"});
  if (parameters != nullptr && parameters->is_object() && !parameters->get_object().empty()) {
    details.yaml(*parameters);
  } else {
    details.line("No parameters defined");
  }
  if (const auto* from = array_at(object, {"spec", "parametersFrom"})) {
    details.section("Parameters From");
    for (const auto& one : from->get_array()) {
      details.line(
          fmt::format("Secret: {}.{}", text_at(one, {"secretKeyRef", "name"}), text_at(one, {"secretKeyRef", "key"})));
    }
  }
}

void describe_instance_to(Call& call, Details& details, const json::Value& instance, const std::string& class_name,
                          const std::string& plan_name) {
  (void)call;
  details.add("Name", name_of(instance));
  details.add("Namespace", namespace_of(instance));
  details.add("Status", shown_status(status_sentence(instance)), color_of_status(status_word(instance)));
  details.add_if("DashboardURL", text_at(instance, {"status", "dashboardURL"}));
  auto type = type_of(instance);
  if (type.empty()) type = text_at(instance, {"status", "resolution", "serviceType"});
  details.add_if("Type", type);
  details.add("Class", class_name.empty() ? "not decided yet" : class_name);
  details.add("Plan", plan_name.empty() ? "not decided yet" : plan_name);
  details.flush();
  add_parameters(details, instance);
}

Command describe_instance() {
  return {.verb = "describe",
          .noun = "instance",
          .noun_aliases = {"instances", "inst"},
          .arguments = "NAME",
          .min_arguments = 1,
          .max_arguments = 1,
          .summary = "Show what is known about an instance, its parameters and bindings",
          .examples = {"describe instance mydb", "describe instance mydb -n dev"},
          .flags = {namespace_flag()},
          .offer = Offer::kInstances,
          .run = run_describe_instance};
}

}  // namespace chandler::svcat
