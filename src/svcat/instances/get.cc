// svcat get instances
#include <fmt/format.h>

#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"
#include "svcat/listing.h"

namespace chandler::svcat {
namespace {

Listing listing_of(Call& call) {
  const auto now = call.env().clock.now();
  Listing listing;
  listing.columns = {{"NAME"}, {"NAMESPACE"}, {"CLASS"}, {"PLAN"}, {"STATUS"}};
  listing.wide_columns = {{"TYPE"}, {"EXTERNAL ID"}, {"AGE"}};
  listing.row = [now](const json::Value& instance, bool wide) {
    const auto status = status_word(instance);
    Row row{name_of(instance),
            namespace_of(instance),
            class_shown(instance),
            plan_shown(instance),
            {status, color_of_status(status)}};
    if (wide) {
      row.emplace_back(type_of(instance));
      row.emplace_back(text_at(instance, {"spec", "externalID"}));
      row.emplace_back(age_of(instance, now));
    }
    return row;
  };
  listing.nothing = "No instances. Make one: svcat provision NAME --type TYPE";
  return listing;
}

Result<int> run_get_instances(Call& call) {
  const auto of_class = call.flag("class");
  const auto of_plan = call.flag("plan");
  const auto type = call.flag("type");
  auto listing = listing_of(call);
  CH_TRY_LET(ns, call.ns());
  if (call.argument_count() == 1) {
    if (!of_class.empty() || !of_plan.empty() || !type.empty()) {
      return usage_error("a name cannot be used together with --class, --plan or --type; leave one out");
    }
    CH_TRY_LET(instance, find_named(call, instances_kind(), ns, call.argument(0)));
    return show_one(call, instance, listing);
  }
  listing.judge = [=](const json::Value& instance) {
    const bool wanted = (of_class.empty() || of_class == class_shown(instance) || of_class == class_ref_of(instance)) &&
                        (of_plan.empty() || of_plan == plan_shown(instance) || of_plan == plan_ref_of(instance));
    return wanted ? Verdict::kShow : Verdict::kSkip;
  };
  FieldValues fields;
  if (!type.empty()) fields.emplace_back("spec.serviceType", type);
  return run_listing(call, {{instances_kind(), call.is_set("all-namespaces") ? "" : ns, fields}}, listing);
}

}  // namespace

Command get_instances() {
  return {.verb = "get",
          .noun = "instances",
          .noun_aliases = {"instance", "inst"},
          .arguments = "[NAME]",
          .max_arguments = 1,
          .summary = "List instances, or show one",
          .examples = {"get instances", "get instances --all-namespaces --class azure-mysql",
                       "get instance mydb -o yaml", "get instances --watch"},
          .flags = {output_flag(),
                    {"class", 'c', "NAME", "Only instances of this class", "", false, Offer::kClasses},
                    {"plan", 'p', "NAME", "Only instances of this plan", "", false, Offer::kPlans},
                    {"type", 0, "TYPE", "Only instances of this type", "", false, Offer::kTypes},
                    namespace_flag(),
                    all_namespaces_flag(),
                    watch_flag()},
          .offer = Offer::kInstances,
          .run = run_get_instances};
}

}  // namespace chandler::svcat
