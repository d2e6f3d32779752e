// svcat deregister
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"
#include "svcat/wait.h"

namespace chandler::svcat {
namespace {

Result<int> run_deregister_broker(Call& call) {
  const auto name = call.argument(0);
  CH_TRY_LET(place, place_to_write(call));
  CH_TRY_LET(catalog, call.catalog());
  const auto& kind = place.names().brokers;
  const auto where = place.scope == Scope::kCluster ? std::string() : fmt::format(" of namespace {}", place.ns);
  CH_TRY_LET(sure, call.confirm(fmt::format("Deregister broker {}{}? Its classes and plans go too.", name, where)));
  if (!sure) {
    call.hint("Nothing was done.");
    return 1;
  }
  auto removed = catalog->remove(kind, place.ns, name);
  if (!removed.ok()) {
    if (!is_not_found(removed.error())) return std::move(removed).error();
    CH_TRY_LET(unused, find_broker(call, {place}, name));  // says what there is
    (void)unused;
  }
  if (call.is_set("wait")) {
    CH_TRY_LET(waited, wait_until_gone(call, kind, place.ns, name));
    if (waited.how == Waited::kInterrupted) return kInterruptedCode;
    if (waited.how == Waited::kFailed)
      return bad_request(fmt::format("broker {}: {}", name, status_sentence(waited.object)));
  }
  fmt::print(call.out(), "Successfully removed broker \"{}\"\n", name);
  return 0;
}

}  // namespace

Command deregister_broker() {
  return {.verb = "deregister",
          .arguments = "NAME",
          .min_arguments = 1,
          .max_arguments = 1,
          .summary = "Remove a broker with its classes and plans",
          .details =
              "The broker stays until its instances, and bindings that abandoned ones left, are gone; its status names "
              "them.",
          .examples = {"deregister azure --cluster", "deregister mine --yes --wait"},
          .flags = flags_of({{cluster_flag(), scope_flag(), namespace_flag(), yes_flag()}, wait_flags()}),
          .offer = Offer::kBrokers,
          .run = run_deregister_broker};
}

}  // namespace chandler::svcat
