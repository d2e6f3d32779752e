// svcat get brokers
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
  listing.columns = {{"NAME"}, {"NAMESPACE"}, {"URL"}, {"STATUS"}};
  listing.wide_columns = {{"CLASSES"}, {"PLANS"}, {"AGE"}};
  listing.row = [now](const json::Value& broker, bool wide) {
    const auto status = status_word(broker);
    Row row{name_of(broker), namespace_of(broker), text_at(broker, {"spec", "url"}), {status, color_of_status(status)}};
    if (wide) {
      row.emplace_back(std::to_string(number_at(broker, {"status", "catalogCounts", "classes"})));
      row.emplace_back(std::to_string(number_at(broker, {"status", "catalogCounts", "plans"})));
      row.emplace_back(age_of(broker, now));
    }
    return row;
  };
  listing.nothing = "No brokers. Register one: svcat register NAME --url URL --cluster";
  return listing;
}

Result<int> run_get_brokers(Call& call) {
  if (call.argument_count() == 1) {
    CH_TRY_LET(places, places_to_search(call));
    CH_TRY_LET(broker, find_broker(call, places, call.argument(0)));
    return show_one(call, broker, listing_of(call));
  }
  CH_TRY_LET(places, places_to_list(call, true));
  std::vector<Source> sources;
  sources.reserve(places.size());
  for (const auto& place : places) sources.push_back({place.names().brokers, place.ns});
  return run_listing(call, sources, listing_of(call));
}

}  // namespace

Command get_brokers() {
  return {.verb = "get",
          .noun = "brokers",
          .noun_aliases = {"broker", "brk"},
          .arguments = "[NAME]",
          .max_arguments = 1,
          .summary = "List brokers, or show one",
          .examples = {"get brokers", "get brokers --scope cluster -o wide", "get broker azure -o yaml"},
          .flags = {output_flag(), cluster_flag(), scope_flag(), namespace_flag(), all_namespaces_flag(), watch_flag()},
          .offer = Offer::kBrokers,
          .run = run_get_brokers};
}

}  // namespace chandler::svcat
