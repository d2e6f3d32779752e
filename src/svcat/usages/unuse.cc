// svcat unuse
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/text.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"
#include "svcat/usages/workload.h"
#include "svcat/wait.h"

namespace chandler::svcat {
namespace {

// Those that were named, or all of the binding, the workload, or both.
Result<std::vector<std::string>> names_to_end(Call& call, const std::string& ns, const std::optional<Workload>& by) {
  auto names = call.flags("name");
  if (!names.empty()) return names;
  CH_TRY_LET(catalog, call.catalog());
  FieldValues fields;
  if (call.argument_count() > 0) fields.emplace_back("spec.serviceBindingRef.name", call.argument(0));
  if (by) {
    CH_TRY_LET(usage_kind, find_usage_kind(call, by->kind));
    fields.emplace_back("spec.usedBy.kind", name_of(usage_kind));
    fields.emplace_back("spec.usedBy.name", by->name);
  }
  CH_TRY_LET(usages, catalog->list(usages_kind(), ns, fields));
  for (const auto& usage : usages) names.push_back(name_of(usage));
  if (names.empty() && call.argument_count() > 0) {
    CH_TRY_LET(unused, find_named(call, bindings_kind(), ns, call.argument(0)));  // or there is no such binding
    (void)unused;
  }
  return names;
}

std::string state_of(const json::Value& usage) {
  const auto* ready = condition_of(usage, "Ready");
  const auto message = ready == nullptr ? std::string() : text_at(*ready, {"message"});
  return condition_holds(usage, "Ready") || message.empty() ? "deleting" : "deleting - " + message;
}

Result<int> run_unuse(Call& call) {
  CH_TRY(call.duration("timeout"));
  std::optional<Workload> by;
  if (call.given("by")) {
    CH_TRY_LET(parsed, parse_workload("by", call.flag("by")));
    by = std::move(parsed);
  }
  const bool selects = call.argument_count() > 0 || by;
  if (call.given("name") && selects) {
    return usage_error("--name and a binding or --by cannot be used together; leave one out");
  }
  if (!call.given("name") && !selects) {
    return usage_error("unuse needs a binding, --by KIND/NAME, or --name with the names of usages");
  }
  CH_TRY_LET(ns, call.ns());
  CH_TRY_LET(names, names_to_end(call, ns, by));
  if (names.empty()) {
    call.hint("Nothing uses it.");
    return 0;
  }
  CH_TRY_LET(sure, call.confirm(fmt::format("End usage {} of namespace {}? The pods are started anew without the "
                                            "credentials.",
                                            join(names, ", "), ns)));
  if (!sure) {
    call.hint("Nothing was done.");
    return 1;
  }
  CH_TRY_LET(catalog, call.catalog());
  std::vector<std::string> faults;
  for (const auto& name : names) {
    auto removed = catalog->remove(usages_kind(), ns, name);
    // One that was found and ended by itself meanwhile is what was asked for; a name is perhaps wrong.
    if (!removed.ok() && (call.given("name") || !is_not_found(removed.error()))) {
      faults.push_back(removed.error().message);
      continue;
    }
    if (call.is_set("wait")) {
      CH_TRY_LET(waited, wait_until_gone(call, usages_kind(), ns, name, state_of));
      if (waited.how == Waited::kInterrupted) return kInterruptedCode;
      if (waited.how == Waited::kFailed) {
        faults.push_back(fmt::format("usage {}: {}", name, readiness_sentence(waited.object)));
        continue;
      }
    }
    fmt::print(call.out(), "deleted {}\n", name);
  }
  if (faults.empty()) return 0;
  return bad_request(join(faults, "; "));
}

}  // namespace

Command unuse() {
  return {.verb = "unuse",
          .arguments = "[BINDING]",
          .max_arguments = 1,
          .summary = "Take credentials away from workloads",
          .details = "All usages of the binding end, or those by one workload, or those that are named.",
          .examples = {"unuse mydb --by deployment/web", "unuse mydb --yes --wait", "unuse --name web-db"},
          .flags = flags_of({{{"by", 0, "KIND/NAME", "Only usages by this workload", "", false, Offer::kWorkloads},
                              {"name", 0, "NAME", "A usage to end", "", true, Offer::kUsages},
                              yes_flag(),
                              namespace_flag()},
                             wait_flags()}),
          .offer = Offer::kBindings,
          .run = run_unuse};
}

}  // namespace chandler::svcat
