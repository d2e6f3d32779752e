// svcat set class
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "svcat/catalog/edit_offer.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/input.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"

namespace chandler::svcat {
namespace {

Result<int> run_set_class(Call& call) {
  json::Object trial;
  CH_TRY_LET(fields, write_defaults(call, trial));  // faults of the flags come before any request
  if (fields.empty()) {
    return usage_error(
        "set class needs something to set: --type, --provision-params, --bind-params or --secret-transform");
  }
  CH_TRY_LET(places, places_to_search(call));
  CH_TRY_LET(service_class, find_class(call, places, call.argument(0)));
  CH_TRY_LET(catalog, call.catalog());
  warn_about_broker(call, service_class, fields, trial);
  CH_TRY_LET(changed, catalog->change(names_of(scope_of(service_class)).classes, namespace_of(service_class),
                                      name_of(service_class), [&](json::Object& object) -> Result<void> {
                                        if (!object["spec"].is_object()) object["spec"] = json::Object();
                                        CH_TRY(write_defaults(call, object["spec"].get_object()));
                                        return {};
                                      }));
  fmt::print(call.out(), "class {} updated\n", external_name_of(changed));
  return 0;
}

}  // namespace

Command set_class() {
  return {
      .verb = "set",
      .noun = "class",
      .noun_aliases = {"classes", "cl"},
      .arguments = "NAME",
      .min_arguments = 1,
      .max_arguments = 1,
      .summary = "Change the defaults of a class",
      .details = "What is given replaces what was there. Instances that exist keep their parameters.",
      .examples = {"set class azure-mysql --provision-params '{\"location\": \"eastus\"}'",
                   "set class azure-mysql --secret-transform db-name=database", "set class azure-mysql --type mysql"},
      .flags = flags_of({default_flags(), {cluster_flag(), scope_flag(), namespace_flag(), kube_name_flag()}}),
      .offer = Offer::kClasses,
      .run = run_set_class};
}

}  // namespace chandler::svcat
