#include "svcat/volumes/resolution.h"

#include <fmt/format.h>

#include "svcat/catalog/fields.h"
#include "svcat/output/table.h"
#include "svcat/storageclasses/describe.h"

namespace chandler::svcat {

Result<json::Value> storage_class_of(Call& call, const json::Value& claim, std::string& why) {
  CH_TRY_LET(catalog, call.catalog());
  const auto named = resolve::class_of_claim(claim);
  if (named && named->empty()) {
    why = "It asks for no class: only a volume without a class can be bound to it.";
    return json::Value();
  }
  if (named) {
    auto found = catalog->get(storage_classes_kind(), "", *named);
    why = found.ok() ? fmt::format("Class {}, which the claim names.", *named)
                     : fmt::format("Class {}, which the claim names, does not exist; the claim waits for it.", *named);
    if (!found.ok() && is_not_found(found.error())) return json::Value();
    return found;
  }
  CH_TRY_LET(all, catalog->list(storage_classes_kind(), ""));
  const auto name = default_storage_class(all);
  why = name.empty() ? "It names no class, and no class is the default; the claim waits for one."
                     : fmt::format("It names no class; {} is the default.", name);
  for (auto& one : all) {
    if (name_of(one) == name) return std::move(one);
  }
  return json::Value();
}

Result<resolve::SelectorResolution> resolve_claim(const json::Value& storage_class, const json::Value& claim) {
  CH_TRY_LET(tunable, resolve::read_tunable_class(storage_class));
  resolve::SelectorRequest request;
  request.namespace_name = namespace_of(claim);
  request.claim_name = name_of(claim);
  request.selector = json::find_path(claim, {"spec", "selector"});
  return resolve::resolve_selector(tunable, resolve::known_profile(tunable.provisioner), request);
}

void tell_resolution(Call& call, Details& details, const resolve::SelectorResolution& resolution) {
  if (!resolution.ok()) {
    for (const auto& problem : resolution.problems) {
      details.line(fmt::format("{}: {}", resolve::fault_name(problem.fault), problem.message));
    }
  } else if (resolution.keys.empty()) {
    details.line("The class offers nothing to tune, and nothing is asked for.");
  } else {
    Table table(call.out(), {{"KEY"}, {"VALUE"}, {"WHY", true}}, call.style());
    for (const auto& key : resolution.keys) table.add({key.key, key.value.value_or("<unset>"), key.why});
    table.flush();
  }
  for (const auto& warning : resolution.warnings) details.line(fmt::format("Note: {}", warning));
}

}  // namespace chandler::svcat
