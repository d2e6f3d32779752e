// svcat sync broker
#include <fmt/ostream.h>

#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"

namespace chandler::svcat {
namespace {

Result<int> run_sync_broker(Call& call) {
  const auto name = call.argument(0);
  CH_TRY_LET(places, places_to_search(call));
  CH_TRY_LET(broker, find_broker(call, places, name));
  CH_TRY_LET(catalog, call.catalog());
  const auto& kind = names_of(scope_of(broker)).brokers;
  CH_TRY_LET(changed, catalog->change(kind, namespace_of(broker), name, [](json::Object& object) -> Result<void> {
    auto& spec = object["spec"];
    if (!spec.is_object()) spec = json::Object();
    spec.get_object()["relistRequests"] = json::int_at(spec, "relistRequests").value_or(0) + 1;
    return {};
  }));
  (void)changed;
  fmt::print(call.out(), "Synchronization requested for broker: {}\n", name);
  return 0;
}

}  // namespace

Command sync_broker() {
  return {.verb = "sync",
          .noun = "broker",
          .noun_aliases = {"brokers", "brk"},
          .arguments = "NAME",
          .min_arguments = 1,
          .max_arguments = 1,
          .summary = "Have the catalog of a broker read again now",
          .examples = {"sync broker azure", "sync broker azure --cluster"},
          .flags = {cluster_flag(), scope_flag(), namespace_flag()},
          .offer = Offer::kBrokers,
          .run = run_sync_broker};
}

}  // namespace chandler::svcat
