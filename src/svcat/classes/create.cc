// svcat create class
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/names.h"
#include "resolve/object_name.h"
#include "svcat/catalog/edit_offer.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/input.h"
#include "svcat/catalog/lookup.h"
#include "svcat/classes/listing.h"
#include "svcat/commands.h"

namespace chandler::svcat {
namespace {

using Documents = std::vector<json::Value>;

// The plans of `from` once more, as plans of the new class `copy`. They keep the names that users know.
Result<Documents> copies_of_plans(Call& call, const json::Value& from, const json::Value& copy, const Place& place) {
  CH_TRY_LET(catalog, call.catalog());
  const auto& names = names_of(scope_of(from));
  CH_TRY_LET(plans, catalog->list(names.plans, namespace_of(from),
                                  {{fmt::format("spec.{}.name", names.class_ref), name_of(from)}}));
  Documents copies;
  std::set<std::string> taken;
  for (const auto& plan : plans) {
    if (is_removed(plan) || is_deleting(plan)) continue;
    const auto external_name = external_name_of(plan);
    // A plan may be called what no object can be called, and two may differ in what an object's name cannot show.
    auto name = to_lower(fmt::format("{}-{}", name_of(copy), external_name));
    if (!meta::check_dns1123_subdomain(name).empty()) name = resolve::object_name_of_id(name);
    if (!taken.insert(name).second) {
      name = resolve::plan_name_when_taken(text_at(plan, {"spec", "externalID"}), name_of(copy));
      taken.insert(name);
    }
    CH_TRY_LET(document, copy_of(plan, name, place));
    auto& spec = document["spec"].get_object();
    spec["externalName"] = external_name;
    spec.erase(names.class_ref);
    spec[place.names().class_ref] = json::Object{{"name", name_of(copy)}};
    // No read of a catalog gives these plans the type of their class later.
    const auto type = call.given("type") ? type_of(copy) : effective_type(plan, from);
    if (!type.empty()) spec["serviceType"] = type;
    copies.emplace_back(std::move(document));
  }
  return copies;
}

// After a failure: what was made goes again, so that the command can be repeated. Says what could not be removed.
Error undone(Catalog& catalog, const Place& place, const Documents& made, Error why) {
  std::vector<std::string> left;
  for (const auto& plan : made) {
    const auto gone = catalog.remove(place.names().plans, place.ns, name_of(plan));
    if (!gone.ok() && !is_not_found(gone.error())) left.push_back(name_of(plan));
  }
  if (left.empty()) {
    why.message += "; nothing was created";
    return why;
  }
  const auto where = place.ns.empty() ? std::string() : fmt::format(" -n {}", place.ns);
  why.message += fmt::format("; {} made before it could not be removed again: kubectl delete {} {}{}",
                             left.size() == 1 ? "one plan" : fmt::format("{} plans", left.size()),
                             place.names().plans.resource.plural, join(left, " "), where);
  return why;
}

// Plans first: nobody sees the class without them.
Result<json::Value> create_all(Call& call, const json::Value& copy, const Documents& plans, const Place& place) {
  CH_TRY_LET(catalog, call.catalog());
  Documents made;
  for (const auto& plan : plans) {
    auto created = catalog->create(place.names().plans, place.ns, plan);
    if (!created.ok()) {
      auto why = std::move(created).error();
      why.message =
          fmt::format("plan {} could not be copied as {}: {}", external_name_of(plan), name_of(plan), why.message);
      return undone(*catalog, place, made, std::move(why));
    }
    made.push_back(*std::move(created));
  }
  auto created = catalog->create(place.names().classes, place.ns, copy);
  if (!created.ok() && !plans.empty()) return undone(*catalog, place, made, std::move(created).error());
  return created;
}

Result<int> run_create_class(Call& call) {
  json::Object trial;
  CH_TRY(write_defaults(call, trial));
  const auto from_name = call.flag("from");
  if (from_name.empty()) return usage_error("create class needs --from with the name of an existing class");
  if (const auto fault = meta::check_dns1123_subdomain(call.argument(0)); !fault.empty()) {
    return usage_error(fmt::format("{} cannot be the name of a class: {}", quoted(call.argument(0)), fault));
  }
  CH_TRY_LET(place, place_to_write(call));
  std::vector<Place> places{place};
  if (place.scope == Scope::kNamespace) places.push_back({Scope::kCluster, ""});
  CH_TRY_LET(from, find_class(call, places, from_name));
  CH_TRY_LET(document, copy_of(from, call.argument(0), place));
  CH_TRY(write_defaults(call, document["spec"].get_object()));
  const json::Value copy(std::move(document));
  Documents plans;
  if (call.is_set("with-plans")) {
    CH_TRY_LET(copies, copies_of_plans(call, from, copy, place));
    plans = std::move(copies);
  }
  CH_TRY_LET(created, create_all(call, copy, plans, place));
  if (call.is_set("with-plans")) {
    call.hint(plans.size() == 1 ? "1 plan was copied with it."
                                : fmt::format("{} plans were copied with it.", plans.size()));
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
      .run = run_create_class};
}

}  // namespace chandler::svcat
