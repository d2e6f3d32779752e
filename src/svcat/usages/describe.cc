// svcat describe usage
#include "svcat/usages/describe.h"

#include <fmt/format.h>

#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/catalog/story.h"
#include "svcat/commands.h"
#include "svcat/usages/workload.h"

namespace chandler::svcat {
namespace {

Result<int> run_describe_usage(Call& call) {
  CH_TRY_LET(ns, call.ns());
  CH_TRY_LET(usage, find_named(call, usages_kind(), ns, call.argument(0)));
  Details details(call.out(), call.style());
  describe_usage_to(details, usage);
  details.yaml_section("Labels", json::find_path(usage, {"status", "snapshot", "labels"}));
  if (array_at(usage, {"status", "conditions"}) != nullptr) details.section("Conditions");
  tell_conditions(call, usage);
  CH_TRY(tell_events(call, details, usages_kind(), usage));
  return 0;
}

}  // namespace

void describe_usage_to(Details& details, const json::Value& usage) {
  details.add("Name", name_of(usage));
  details.add("Namespace", namespace_of(usage));
  details.add("Status", shown_status(readiness_sentence(usage)), color_of_status(readiness_word(usage)));
  details.add("Binding", text_at(usage, {"spec", "serviceBindingRef", "name"}));
  details.add("Used By", workload_of(usage).str());
  details.add_if("Env Prefix", text_at(usage, {"spec", "parameters", "envPrefix", "name"}));
  details.add_if("On Secret Change", text_at(usage, {"spec", "onSecretChange"}));
  details.add_if("Secret", text_at(usage, {"status", "secretName"}));
  details.add_if("Pod Preset", text_at(usage, {"status", "podPresetName"}));
  if (const auto* snapshot = json::find_path(usage, {"status", "snapshot"})) {
    const auto group = text_at(*snapshot, {"resource", "group"});
    details.add(
        "Workload",
        fmt::format("{} ({}{}{})", text_at(*snapshot, {"workload"}), group, group.empty() ? "" : "/",
                    text_at(*snapshot, {"resource", "version"}) + " " + text_at(*snapshot, {"resource", "kind"})));
    details.add_if("Labels Path", text_at(*snapshot, {"labelsPath"}));
  }
  details.flush();
}

Command describe_usage() {
  return {.verb = "describe",
          .noun = "usage",
          .noun_aliases = {"usages", "sbu"},
          .arguments = "NAME",
          .min_arguments = 1,
          .max_arguments = 1,
          .summary = "Show how a workload gets the credentials of a binding, and what stands in the way",
          .examples = {"describe usage deployment-web-mydb"},
          .flags = {namespace_flag()},
          .offer = Offer::kUsages,
          .run = run_describe_usage};
}

}  // namespace chandler::svcat
