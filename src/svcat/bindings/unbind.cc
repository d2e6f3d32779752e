// svcat unbind
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/text.h"
#include "svcat/catalog/abandon.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"
#include "svcat/wait.h"

namespace chandler::svcat {
namespace {

// Those that were named, or all of the instance.
Result<std::vector<std::string>> names_to_unbind(Call& call, const std::string& ns) {
  std::vector<std::string> names;
  for (const auto& given : call.flags("name")) {
    for (const auto name : split(given, ',')) {
      if (!trim(name).empty()) names.emplace_back(trim(name));
    }
  }
  if (!names.empty()) {
    if (call.argument_count() > 0) return usage_error("an instance and --name cannot be used together; leave one out");
    return names;
  }
  if (call.argument_count() == 0) return usage_error("unbind needs an instance, or --name with the names of bindings");
  CH_TRY_LET(catalog, call.catalog());
  CH_TRY_LET(bindings, catalog->list(bindings_kind(), ns, {{"spec.instanceRef.name", call.argument(0)}}));
  for (const auto& binding : bindings) names.push_back(name_of(binding));
  if (names.empty()) {
    CH_TRY_LET(unused, find_named(call, instances_kind(), ns, call.argument(0)));  // or there is no such instance
    (void)unused;
  }
  return names;
}

Result<void> end_one(Call& call, const std::string& ns, const std::string& name) {
  CH_TRY_LET(catalog, call.catalog());
  auto ended =
      call.is_set("abandon") ? abandon(call, bindings_kind(), ns, name) : catalog->remove(bindings_kind(), ns, name);
  // One that was found as the instance's and ended by itself meanwhile is what was asked for; a name is perhaps wrong.
  if (!ended.ok() && is_not_found(ended.error()) && !call.given("name")) return {};
  return ended;
}

Result<int> run_unbind(Call& call) {
  CH_TRY(call.duration("timeout"));
  CH_TRY_LET(ns, call.ns());
  CH_TRY_LET(names, names_to_unbind(call, ns));
  if (names.empty()) {
    call.hint(fmt::format("Instance {} has no bindings.", call.argument(0)));
    return 0;
  }
  const auto listed = join(names, ", ");
  CH_TRY_LET(sure, call.is_set("abandon")
                       ? confirm_abandon(call, bindings_kind(), listed)
                       : call.confirm(
                             fmt::format("Unbind {} of namespace {}? The credentials cease to be valid.", listed, ns)));
  if (!sure) {
    call.hint("Nothing was done.");
    return 1;
  }
  std::vector<std::string> gone, faults;
  for (const auto& name : names) {
    const auto ended = end_one(call, ns, name);
    if (ended.ok()) {
      gone.push_back(name);
    } else {
      faults.push_back(ended.error().message);
    }
  }
  for (const auto& name : gone) {
    if (call.is_set("wait")) {
      CH_TRY_LET(waited, wait_until_gone(call, bindings_kind(), ns, name));
      if (waited.how == Waited::kInterrupted) return kInterruptedCode;
      if (waited.how == Waited::kFailed) {
        faults.push_back(fmt::format("binding {}: {}", name, status_sentence(waited.object)));
        continue;
      }
    }
    fmt::print(call.out(), "deleted {}\n", name);
  }
  if (faults.empty()) return 0;
  return bad_request(join(faults, "; "));
}

}  // namespace

Command unbind() {
  return {
      .verb = "unbind",
      .arguments = "[INSTANCE]",
      .max_arguments = 1,
      .summary = "End bindings: all of an instance, or those that are named",
      .details =
          "--abandon ends them here alone, when their broker is gone for good: the credentials may stay valid there.",
      .examples = {"unbind mydb --wait", "unbind --name mydb-admin --name mydb-reader --yes"},
      .flags = flags_of({{{"name", 0, "NAME", "A binding to end", "", true, Offer::kBindings},
                          {"abandon", 0, "", "Do not ask the broker; what it holds stays there"},
                          yes_flag(),
                          namespace_flag()},
                         wait_flags()}),
      .offer = Offer::kInstances,
      .run = run_unbind};
}

}  // namespace chandler::svcat
