// svcat get plans
#include <fmt/format.h>

#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"
#include "svcat/plans/plan_table.h"

namespace chandler::svcat {
namespace {

Result<int> list_of_class(Call& call, const std::vector<Place>& places, const PlanTable::Choice& choice) {
  CH_TRY_LET(service_class, find_class(call, places, call.flag("class")));
  const auto& names = names_of(scope_of(service_class));
  PlanTable table(call);
  table.learn_class(service_class);
  return run_listing(call,
                     {{names.plans,
                       namespace_of(service_class),
                       {{fmt::format("spec.{}.name", names.class_ref), name_of(service_class)}}}},
                     table.listing(choice));
}

Result<int> list_all(Call& call) {
  PlanTable::Choice choice;
  choice.type = call.flag("type");
  choice.only_default = call.is_set("default");
  if (!call.flag("class").empty()) {
    CH_TRY_LET(places, places_to_search(call));
    return list_of_class(call, places, choice);
  }
  CH_TRY_LET(places, places_to_list(call, !choice.type.empty() || choice.only_default));
  choice.cluster_is_listed = places.front().scope == Scope::kCluster;
  PlanTable table(call);
  CH_TRY_LET(format, parse_format(call.flag("output")));
  if (format.is_table() || !choice.type.empty() || choice.only_default) CH_TRY(table.learn_classes(places));
  std::vector<Source> sources;
  if (choice.type.empty() || call.is_set("watch")) {
    for (const auto& place : places) sources.push_back({place.names().plans, place.ns});
  } else {
    for (const auto& source : table.sources_of_type(places, choice.type)) sources.push_back(source);
  }
  auto listing = table.listing(choice);
  listing.nothing = nothing_in(places, "plans");
  return run_listing(call, sources, listing);
}

Result<int> run_get_plans(Call& call) {
  if (call.argument_count() == 0) return list_all(call);
  CH_TRY_LET(places, places_to_search(call));
  auto name = call.argument(0);
  if (const auto of_class = call.flag("class"); !of_class.empty()) {
    if (name.find('/') != std::string::npos) return usage_error("CLASS/NAME and --class say the same; leave one out");
    name = of_class + "/" + name;
  }
  CH_TRY_LET(plan, find_plan(call, places, name));
  CH_TRY_LET(service_class, class_of(call, plan));
  PlanTable table(call);
  if (!service_class.is_null()) table.learn_class(service_class);
  return show_one(call, plan, table.listing({}));
}

}  // namespace

Command get_plans() {
  return {
      .verb = "get",
      .noun = "plans",
      .noun_aliases = {"plan", "pl"},
      .arguments = "[NAME or CLASS/NAME]",
      .max_arguments = 1,
      .summary = "List plans, or show one",
      .details =
          "Shows the plans of the namespace; --cluster shows those of the cluster, and --type and --default all that "
          "can be used from\nthe namespace. A * after the type marks the plan that is taken when only the type is "
          "given: the default plan or, without\none, the suggested plan.",
      .examples = {"get plans --cluster", "get plans --default", "get plans --type mysql",
                   "get plans --class azure-mysql", "get plan azure-mysql/basic50 -o json"},
      .flags = flags_of({{{"type", 0, "TYPE", "Only plans of this type", "", false, Offer::kTypes},
                          {"default", 0, "", "Only plans that a type alone leads to"},
                          {"class", 'c', "NAME", "Only plans of this class", "", false, Offer::kClasses}},
                         offer_list_flags()}),
      .offer = Offer::kPlans,
      .run = run_get_plans};
}

}  // namespace chandler::svcat
