// svcat get classes
#include <set>

#include <fmt/format.h>

#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/classes/listing.h"
#include "svcat/commands.h"

namespace chandler::svcat {
namespace {

// The classes that have a default plan, as "namespace/name".
Result<std::set<std::string>> with_default_plan(Call& call, const std::vector<Place>& places) {
  CH_TRY_LET(catalog, call.catalog());
  std::set<std::string> names;
  for (const auto& place : places) {
    CH_TRY(catalog->pages(place.names().plans, place.ns, {}, [&](const Page& page) {
      for (const auto& plan : page.items) {
        if (is_default(plan)) names.insert(namespace_of(plan) + "/" + class_ref_of(plan));
      }
      return true;
    }));
  }
  return names;
}

Result<int> list_all(Call& call) {
  const auto type = call.flag("type");
  const auto broker = call.flag("broker");
  const bool only_default = call.is_set("default");
  CH_TRY_LET(places, places_to_list(call, !type.empty() || only_default));
  auto listing = class_listing(call);
  std::set<std::string> defaults;
  if (only_default) {
    CH_TRY_LET(found, with_default_plan(call, places));
    defaults = std::move(found);
  }
  listing.judge = [=](const json::Value& service_class) {
    if (!broker.empty() && broker_of(service_class) != broker) return Verdict::kSkip;
    if (only_default && !defaults.contains(namespace_of(service_class) + "/" + name_of(service_class))) {
      return Verdict::kSkip;
    }
    return Verdict::kShow;
  };
  std::vector<Source> sources;
  for (const auto& place : places) {
    FieldValues fields;
    if (!type.empty()) fields.emplace_back("spec.serviceType", type);
    if (!broker.empty() && place.scope == Scope::kCluster) fields.emplace_back("spec.clusterServiceBrokerName", broker);
    sources.push_back({place.names().classes, place.ns, std::move(fields)});
  }
  listing.nothing = nothing_in(places, "classes");
  return run_listing(call, sources, listing);
}

Result<int> run_get_classes(Call& call) {
  if (call.argument_count() == 0) return list_all(call);
  if (call.given("broker")) return usage_error("a name and --broker cannot be used together; leave one out");
  CH_TRY_LET(places, places_to_search(call));
  CH_TRY_LET(service_class, find_class(call, places, call.argument(0)));
  return show_one(call, service_class, class_listing(call));
}

}  // namespace

Listing class_listing(Call& call) {
  const auto now = call.env().clock.now();
  Listing listing;
  listing.columns = {{"TYPE"}, {"NAME"}, {"DESCRIPTION", true}, {"SCOPE"}};
  listing.wide_columns = {{"BROKER"}, {"KUBERNETES NAME"}, {"STATUS"}, {"AGE"}};
  listing.row = [now](const json::Value& service_class, bool wide) {
    Row row{type_of(service_class), external_name_of(service_class), text_at(service_class, {"spec", "description"}),
            scope_cell(service_class)};
    if (wide) {
      row.emplace_back(broker_of(service_class));
      row.emplace_back(name_of(service_class));
      row.emplace_back(is_removed(service_class) ? "Deprecated" : "Active");
      row.emplace_back(age_of(service_class, now));
    }
    return row;
  };
  return listing;
}

Command get_classes() {
  return {.verb = "get",
          .noun = "classes",
          .noun_aliases = {"class", "cl"},
          .arguments = "[NAME]",
          .max_arguments = 1,
          .summary = "List classes, or show one",
          .details =
              "Shows the classes of the namespace; --cluster shows those of the cluster, and --type and --default all "
              "that can be used\nfrom the namespace.",
          .examples = {"get classes", "get classes --cluster --all-namespaces", "get classes --type redis",
                       "get class azure-mysql -o yaml"},
          .flags = flags_of({{{"type", 0, "TYPE", "Only classes of this type", "", false, Offer::kTypes},
                              {"default", 0, "", "Only classes with a default plan"},
                              {"broker", 'b', "NAME", "Only classes of this broker", "", false, Offer::kBrokers}},
                             offer_list_flags()}),
          .offer = Offer::kClasses,
          .run = run_get_classes};
}

}  // namespace chandler::svcat
