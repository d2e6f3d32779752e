// svcat create plan
#include <fmt/format.h>

#include "base/text.h"
#include "meta/names.h"
#include "svcat/catalog/edit_offer.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/input.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"
#include "svcat/plans/default_mark.h"
#include "svcat/plans/plan_table.h"

namespace chandler::svcat {
namespace {

// The class that the copy belongs to: the one that was named; that of the original when it is in the same place; else
// the copy of that class in the new place.
Result<json::Value> class_for(Call& call, const json::Value& from, const Place& place) {
  if (const auto name = call.flag("class"); !name.empty()) return find_class(call, {place}, name);
  CH_TRY_LET(original, class_of(call, from));
  if (original.is_null()) {
    return bad_request(fmt::format("the class {} of plan {} does not exist any more; name another with --class",
                                   class_ref_of(from), external_name_of(from)));
  }
  if (scope_of(from) == place.scope && namespace_of(from) == place.ns) return original;
  CH_TRY_LET(catalog, call.catalog());
  CH_TRY_LET(copies, catalog->list(place.names().classes, place.ns,
                                   {{"spec.externalID", text_at(original, {"spec", "externalID"})}}));
  if (copies.size() == 1) return std::move(copies.front());
  const auto name = external_name_of(original);
  return bad_request(fmt::format("{} has {} copies of class {}, and a plan must be in the same place as its class; {}",
                                 place.ns.empty() ? "the cluster" : "namespace " + place.ns, copies.size(), name,
                                 copies.empty() ? fmt::format("make one first: svcat create class NAME --from {}", name)
                                                : std::string("name one with --class")));
}

Result<int> run_create_plan(Call& call) {
  json::Object trial;
  CH_TRY(write_defaults(call, trial));
  const auto from_name = call.flag("from");
  if (from_name.empty()) return usage_error("create plan needs --from with the name of an existing plan");
  if (const auto fault = meta::check_dns1123_subdomain(call.argument(0)); !fault.empty()) {
    return usage_error(fmt::format("{} cannot be the name of a plan: {}", quoted(call.argument(0)), fault));
  }
  CH_TRY_LET(place, place_to_write(call));
  std::vector<Place> places{place};
  if (place.scope == Scope::kNamespace) places.push_back({Scope::kCluster, ""});
  CH_TRY_LET(from, find_plan(call, places, from_name));
  CH_TRY_LET(service_class, class_for(call, from, place));
  CH_TRY_LET(copy, copy_of(from, call.argument(0), place));
  auto& spec = copy["spec"].get_object();
  spec.erase(names_of(scope_of(from)).class_ref);
  spec[place.names().class_ref] = json::Object{{"name", name_of(service_class)}};
  // No read of a catalog gives this plan the type of its class later.
  if (const auto type = effective_type(from, service_class); !type.empty()) spec["serviceType"] = type;
  CH_TRY(write_defaults(call, spec));
  CH_TRY_LET(catalog, call.catalog());
  CH_TRY_LET(created, catalog->create(place.names().plans, place.ns, json::Value(std::move(copy))));
  if (call.is_set("default")) CH_TRY(make_default(call, created));
  PlanTable table(call);
  table.learn_class(service_class);
  if (call.is_set("default")) {
    auto& metadata = created.get_object()["metadata"].get_object();
    metadata["annotations"] = json::Object{{kDefaultPlanAnnotation, "true"}};
  }
  return show_one(call, created, table.listing({}));
}

}  // namespace

Command create_plan() {
  return {
      .verb = "create",
      .noun = "plan",
      .noun_aliases = {"plans", "pl"},
      .arguments = "NAME",
      .min_arguments = 1,
      .max_arguments = 1,
      .summary = "Make a plan of your own from an existing one, with other defaults",
      .details =
          "The copy belongs to you: no read of the broker's catalog changes it. Without --cluster it is made in the "
          "namespace, where\nits class must be too.",
      .examples = {"create plan tiny --from azure-mysql/basic50 --cluster --provision-params '{\"size\": 1}' --default",
                   "create plan tiny --from azure-mysql/basic50 --class mysql-dev --type mysql"},
      .flags =
          flags_of({{{"from", 'f', "NAME", "Plan to copy, NAME or CLASS/NAME (required)", "", false, Offer::kPlans},
                     {"class", 'c', "NAME", "Class of the copy, in the same place", "", false, Offer::kClasses},
                     {"default", 0, "", "Make it the default plan of its type"}},
                    default_flags(),
                    {cluster_flag(), scope_flag(), namespace_flag(), kube_name_flag(), output_flag()}}),
      .run = run_create_plan};
}

}  // namespace chandler::svcat
