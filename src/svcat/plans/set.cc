// svcat set plan
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "svcat/catalog/edit_offer.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/input.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"
#include "svcat/plans/default_mark.h"

namespace chandler::svcat {
namespace {

Result<void> unmark(Call& call, const json::Value& plan) {
  CH_TRY_LET(catalog, call.catalog());
  CH_TRY(catalog->change(names_of(scope_of(plan)).plans, namespace_of(plan), name_of(plan),
                         [](json::Object& object) -> Result<void> {
                           if (auto* annotations = json::find_path(object["metadata"], {"annotations"});
                               annotations != nullptr && annotations->is_object()) {
                             annotations->get_object().erase(kDefaultPlanAnnotation);
                           }
                           return {};
                         }));
  CH_TRY_LET(service_class, class_of(call, plan));
  const auto type = effective_type(plan, service_class);
  fmt::print(call.out(), "{} is no longer the default plan{}{}\n", external_name_of(plan), type.empty() ? "" : " for ",
             type);
  return {};
}

Result<int> run_set_plan(Call& call) {
  json::Object trial;
  CH_TRY_LET(fields, write_defaults(call, trial));  // faults of the flags come before any request
  if (fields.empty() && !call.given("default")) {
    return usage_error(
        "set plan needs something to set: --default, --type, --provision-params, --bind-params or --secret-transform");
  }
  CH_TRY_LET(places, places_to_search(call));
  CH_TRY_LET(plan, find_plan(call, places, call.argument(0)));
  if (!fields.empty()) {
    CH_TRY_LET(catalog, call.catalog());
    warn_about_broker(call, plan, fields, trial);
    CH_TRY_LET(changed, catalog->change(names_of(scope_of(plan)).plans, namespace_of(plan), name_of(plan),
                                        [&](json::Object& object) -> Result<void> {
                                          if (!object["spec"].is_object()) object["spec"] = json::Object();
                                          CH_TRY(write_defaults(call, object["spec"].get_object()));
                                          return {};
                                        }));
    plan = std::move(changed);
    fmt::print(call.out(), "plan {} updated\n", external_name_of(plan));
  }
  if (call.is_set("default")) {
    CH_TRY(make_default(call, plan));
  } else if (call.given("default")) {
    CH_TRY(unmark(call, plan));
  }
  return 0;
}

}  // namespace

Command set_plan() {
  return {
      .verb = "set",
      .noun = "plan",
      .noun_aliases = {"plans", "pl"},
      .arguments = "NAME or CLASS/NAME",
      .min_arguments = 1,
      .max_arguments = 1,
      .summary = "Change the defaults of a plan, or make it the default plan of its type",
      .details = "What is given replaces what was there. Instances that exist keep their parameters.",
      .examples = {"set plan azure-mysql/basic50 --default",
                   "set plan basic50 --provision-params '{\"location\": \"eastus\"}'",
                   "set plan basic50 --bind-params @reader.yaml --secret-transform db-name=database"},
      .flags = flags_of({{{"default", 0, "", "Make it the default plan of its type; --default=false takes that back"}},
                         default_flags(),
                         {cluster_flag(), scope_flag(), namespace_flag(), kube_name_flag()}}),
      .offer = Offer::kPlans,
      .run = run_set_plan};
}

}  // namespace chandler::svcat
