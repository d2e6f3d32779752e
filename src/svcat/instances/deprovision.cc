// svcat deprovision
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "svcat/catalog/abandon.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"
#include "svcat/wait.h"

namespace chandler::svcat {
namespace {

Result<int> run_deprovision(Call& call) {
  const auto name = call.argument(0);
  CH_TRY(call.duration("timeout"));
  CH_TRY_LET(ns, call.ns());
  const bool give_up = call.is_set("abandon");
  CH_TRY_LET(sure, give_up ? confirm_abandon(call, instances_kind(), name)
                           : call.confirm(
                                 fmt::format("Deprovision instance {} of namespace {}? Its data is lost.", name, ns)));
  if (!sure) {
    call.hint("Nothing was done.");
    return 1;
  }
  CH_TRY_LET(catalog, call.catalog());
  auto removed = give_up ? abandon(call, instances_kind(), ns, name) : catalog->remove(instances_kind(), ns, name);
  if (!removed.ok()) {
    if (!is_not_found(removed.error())) return std::move(removed).error();
    CH_TRY_LET(unused, find_named(call, instances_kind(), ns, name));  // says what there is
    (void)unused;
  }
  if (call.is_set("wait")) {
    CH_TRY_LET(waited, wait_until_gone(call, instances_kind(), ns, name));
    if (waited.how == Waited::kInterrupted) return kInterruptedCode;
    if (waited.how == Waited::kFailed) {
      return bad_request(
          fmt::format("instance {} could not be deprovisioned: {}", name, status_sentence(waited.object)));
    }
  }
  fmt::print(call.out(), "deleted {}\n", name);
  return 0;
}

}  // namespace

Command deprovision() {
  return {.verb = "deprovision",
          .arguments = "NAME",
          .min_arguments = 1,
          .max_arguments = 1,
          .summary = "Delete an instance, here and at its broker",
          .details =
              "--abandon deletes it here alone, when its broker is gone for good: what the broker holds stays there.",
          .examples = {"deprovision mydb --wait", "deprovision mydb --abandon --yes"},
          .flags = flags_of(
              {{{"abandon", 0, "", "Do not ask the broker; what it holds stays there"}, yes_flag(), namespace_flag()},
               wait_flags()}),
          .offer = Offer::kInstances,
          .run = run_deprovision};
}

}  // namespace chandler::svcat
