// svcat touch instance
#include <fmt/ostream.h>

#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"

namespace chandler::svcat {
namespace {

Result<int> run_touch_instance(Call& call) {
  CH_TRY_LET(ns, call.ns());
  CH_TRY_LET(catalog, call.catalog());
  auto changed = catalog->change(instances_kind(), ns, call.argument(0), [](json::Object& object) -> Result<void> {
    auto& spec = object["spec"];
    if (!spec.is_object()) spec = json::Object();
    spec.get_object()["updateRequests"] = json::int_at(spec, "updateRequests").value_or(0) + 1;
    return {};
  });
  if (!changed.ok()) {
    if (!is_not_found(changed.error())) return std::move(changed).error();
    CH_TRY_LET(unused, find_named(call, instances_kind(), ns, call.argument(0)));  // says what there is
    (void)unused;
  }
  return 0;
}

}  // namespace

Command touch_instance() {
  return {.verb = "touch",
          .noun = "instance",
          .noun_aliases = {"instances", "inst"},
          .arguments = "NAME",
          .min_arguments = 1,
          .max_arguments = 1,
          .summary = "Have an instance updated at its broker although nothing changed here",
          .details = "For example after a secret with parameters changed, or to try again after a failure.",
          .examples = {"touch instance mydb"},
          .flags = {namespace_flag()},
          .offer = Offer::kInstances,
          .run = run_touch_instance};
}

}  // namespace chandler::svcat
