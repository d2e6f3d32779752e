// svcat create class
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/text.h"
#include "svcat/catalog/edit_offer.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/input.h"
#include "svcat/catalog/lookup.h"
#include "svcat/classes/listing.h"
#include "svcat/commands.h"

namespace chandler::svcat {
namespace {

// The plans of `from` once more, as plans of the new class. They keep the names that users know.
Result<size_t> copy_plans(Call& call, const json::Value& from, const json::Value& created, const Place& place) {
  CH_TRY_LET(catalog, call.catalog());
  const auto& names = names_of(scope_of(from));
  CH_TRY_LET(plans, catalog->list(names.plans, namespace_of(from),
                                  {{fmt::format("spec.{}.name", names.class_ref), name_of(from)}}));
  size_t copied = 0;
  for (const auto& plan : plans) {
    if (is_removed(plan)) continue;
    const auto external_name = external_name_of(plan);
    CH_TRY_LET(copy, copy_of(plan, to_lower(fmt::format("{}-{}", name_of(created), external_name)), place));
    auto& spec = copy["spec"].get_object();
    spec["externalName"] = external_name;
    spec.erase(names.class_ref);
    spec[place.names().class_ref] = json::Object{{"name", name_of(created)}};
    // No read of a catalog gives these plans the type of their class later.
    const auto type = call.given("type") ? type_of(created) : effective_type(plan, from);
    if (!type.empty()) {
      spec["serviceType"] = type;
    }
    CH_TRY(catalog->create(place.names().plans, place.ns, json::Value(std::move(copy))));
    ++copied;
  }
  return copied;
}

Result<int> run(Call& call) {
  json::Object trial;
  CH_TRY(write_defaults(call, trial));
  const auto from_name = call.flag("from");
  if (from_name.empty()) return usage_error("create class needs --from with the name of an existing class");
  CH_TRY_LET(place, place_to_write(call));
  std::vector<Place> places{place};
  if (place.scope == Scope::kNamespace) places.push_back({Scope::kCluster, ""});
  CH_TRY_LET(from, find_class(call, places, from_name));
  CH_TRY_LET(copy, copy_of(from, call.argument(0), place));
  CH_TRY(write_defaults(call, copy["spec"].get_object()));
  CH_TRY_LET(catalog, call.catalog());
  CH_TRY_LET(created, catalog->create(place.names().classes, place.ns, json::Value(std::move(copy))));
  if (call.is_set("with-plans")) {
    CH_TRY_LET(count, copy_plans(call, from, created, place));
    call.hint(fmt::format("{} plans were copied with it.", count));
  }
  return show_one(call, created, class_listing(call));
}

}  // namespace

Command create_class() {
  return {
      .verb = "create",
      .noun = "class",
      .noun_aliases = {"classes", "cl"},
      .arguments = "NAME",
      .min_arguments = 1,
      .max_arguments = 1,
      .summary = "Make a class of your own from an existing one, with other defaults",
      .details =
          "The copy belongs to you: no read of the broker's catalog changes it. Without --cluster it is made in the "
          "namespace, also\nfrom a class of the cluster.",
      .examples = {"create class mysql-dev --from azure-mysql --with-plans",
                   "create class postgres-dev --from azure-postgresql --cluster --provision-params '{\"size\": 1}'"},
      .flags = flags_of({{{"from", 'f', "NAME", "Class to copy (required)", "", false, Offer::kClasses},
                          {"with-plans", 0, "", "Copy the plans too"}},
                         default_flags(),
                         {cluster_flag(), scope_flag(), namespace_flag(), kube_name_flag(), output_flag()}}),
      .run = run};
}

}  // namespace chandler::svcat
