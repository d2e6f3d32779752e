// svcat set broker
#include <fmt/ostream.h>

#include "svcat/brokers/broker_flags.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"

namespace chandler::svcat {
namespace {

Result<int> run_set_broker(Call& call) {
  bool something = false;
  for (const auto& flag : broker_flags()) something = something || call.given(flag.name);
  if (!something) return usage_error("set broker needs something to set, such as --url or --relist-duration");
  CH_TRY_LET(places, places_to_search(call));
  CH_TRY_LET(broker, find_broker(call, places, call.argument(0)));
  CH_TRY_LET(catalog, call.catalog());
  const Place place{scope_of(broker), namespace_of(broker)};
  CH_TRY(catalog->change(place.names().brokers, place.ns, name_of(broker), [&](json::Object& object) -> Result<void> {
    if (!object["spec"].is_object()) object["spec"] = json::Object();
    return write_broker(call, place, object["spec"].get_object());
  }));
  fmt::print(call.out(), "broker {} updated\n", name_of(broker));
  return 0;
}

}  // namespace

Command set_broker() {
  return {.verb = "set",
          .noun = "broker",
          .noun_aliases = {"brokers", "brk"},
          .arguments = "NAME",
          .min_arguments = 1,
          .max_arguments = 1,
          .summary = "Change how a broker is reached and read",
          .details = "What is given replaces what was there; its catalog is read again.",
          .examples = {"set broker azure --url https://new.example", "set broker azure --cluster --relist-duration 1h"},
          .flags = flags_of({broker_flags(), {cluster_flag(), scope_flag(), namespace_flag()}}),
          .offer = Offer::kBrokers,
          .run = run_set_broker};
}

}  // namespace chandler::svcat
