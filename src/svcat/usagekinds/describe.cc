// svcat describe usagekind
#include <fmt/format.h>

#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/catalog/story.h"
#include "svcat/commands.h"
#include "svcat/output/table.h"
#include "svcat/usages/workload.h"

namespace chandler::svcat {
namespace {

constexpr size_t kMaxUsages = 20;

std::string group_version(const json::Value& resource) {
  const auto group = text_at(resource, {"group"}), version = text_at(resource, {"version"});
  return group.empty() || version.empty() ? group + version : group + "/" + version;
}

// Who keeps it from being deleted. Not everybody may look into all namespaces.
Result<void> add_usages(Call& call, Details& details, const std::string& name) {
  CH_TRY_LET(catalog, call.catalog());
  details.section("Usages");
  auto usages = catalog->list(usages_kind(), "", {{"spec.usedBy.kind", name}});
  if (!usages.ok()) {
    if (usages.error().reason != Reason::kForbidden) return std::move(usages).error();
    details.line("You may not see the usages of all namespaces");
    return {};
  }
  if (usages->empty()) {
    details.line("None");
    return {};
  }
  Table table(call.out(), {{"NAMESPACE"}, {"NAME"}, {"BINDING"}, {"USED BY"}, {"STATUS"}}, call.style());
  for (size_t i = 0; i < usages->size() && i < kMaxUsages; ++i) {
    const auto& usage = (*usages)[i];
    const auto status = readiness_word(usage);
    table.add({namespace_of(usage),
               name_of(usage),
               text_at(usage, {"spec", "serviceBindingRef", "name"}),
               workload_of(usage).str(),
               {status, color_of_status(status)}});
  }
  table.flush();
  if (usages->size() > kMaxUsages) details.line(fmt::format("and {} more", usages->size() - kMaxUsages));
  return {};
}

Result<int> run_describe_usage_kind(Call& call) {
  CH_TRY_LET(usage_kind, find_named(call, usage_kinds_kind(), "", call.argument(0)));
  Details details(call.out(), call.style());
  details.add("Name", name_of(usage_kind));
  details.add("Display Name", text_at(usage_kind, {"spec", "displayName"}));
  details.add("Status", shown_status(readiness_sentence(usage_kind)), color_of_status(readiness_word(usage_kind)));
  details.add("Kind", text_at(usage_kind, {"spec", "resource", "kind"}));
  if (const auto* asked = json::find_path(usage_kind, {"spec", "resource"})) {
    details.add_if("API Version", group_version(*asked));
  }
  if (const auto* served = json::find_path(usage_kind, {"status", "resource"})) {
    details.add("Served As", fmt::format("{} {}", group_version(*served), text_at(*served, {"plural"})));
  }
  details.add("Labels Path", text_at(usage_kind, {"spec", "labelsPath"}));
  details.flush();
  if (array_at(usage_kind, {"status", "conditions"}) != nullptr) details.section("Conditions");
  tell_conditions(call, usage_kind);
  CH_TRY(add_usages(call, details, name_of(usage_kind)));
  return 0;
}

}  // namespace

Command describe_usage_kind() {
  return {.verb = "describe",
          .noun = "usagekind",
          .noun_aliases = {"usagekinds", "uk"},
          .arguments = "NAME",
          .min_arguments = 1,
          .max_arguments = 1,
          .summary = "Show what a kind of workload is served as, whether it can be labelled, and who uses it",
          .examples = {"describe usagekind deployment"},
          .flags = {},
          .offer = Offer::kUsageKinds,
          .run = run_describe_usage_kind};
}

}  // namespace chandler::svcat
