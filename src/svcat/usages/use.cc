// svcat use
#include <fmt/format.h>

#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"
#include "svcat/output/format.h"
#include "svcat/usages/describe.h"
#include "svcat/usages/workload.h"
#include "svcat/wait.h"

namespace chandler::svcat {
namespace {

constexpr size_t kLongestName = 253;

Result<void> show(Call& call, const json::Value& usage) {
  CH_TRY_LET(format, parse_format(call.flag("output")));
  if (!format.is_table()) return print_object(call.out(), format, usage);
  Details details(call.out(), call.style());
  describe_usage_to(details, usage);
  return {};
}

// A name that is typed wrong would wait for ever. Whoever may not look is not told anything.
void warn_if_missing(Call& call, Catalog& catalog, const json::Value& usage_kind, const std::string& ns,
                     const std::string& name) {
  const auto kind = discover_workload(catalog, usage_kind);
  if (!kind.ok() || !*kind) return;
  const auto object = catalog.get((*kind)->kind(), ns, name);
  if (object.ok() || !is_not_found(object.error())) return;
  call.warn(fmt::format("there is no {} {} in namespace {} yet; it gets the credentials when it is created",
                        (*kind)->noun, name, ns));
}

Result<json::Value> request_of(Call& call, const std::string& ns, const json::Value& usage_kind,
                               const Workload& workload) {
  const auto binding = call.argument(0);
  auto name = call.flag("name");
  if (name.empty()) name = fmt::format("{}-{}-{}", name_of(usage_kind), workload.name, binding);
  if (name.size() > kLongestName) return usage_error("the usage's name would be too long; give it one with --name");
  json::Object spec{{"serviceBindingRef", json::Object{{"name", binding}}},
                    {"usedBy", json::Object{{"kind", name_of(usage_kind)}, {"name", workload.name}}}};
  if (const auto prefix = call.flag("env-prefix"); !prefix.empty()) {
    spec["parameters"] = json::Object{{"envPrefix", json::Object{{"name", prefix}}}};
  }
  if (call.is_set("restart-on-change")) spec["onSecretChange"] = "Restart";
  return json::Value(json::Object{{"apiVersion", kUsageVersion},
                                  {"kind", usages_kind().name},
                                  {"metadata", json::Object{{"name", name}, {"namespace", ns}}},
                                  {"spec", std::move(spec)}});
}

std::string state_of(const json::Value& usage) {
  const auto* ready = condition_of(usage, "Ready");
  if (ready == nullptr) return "waiting for the controller";
  const auto message = text_at(*ready, {"message"});
  return readiness_word(usage) + (message.empty() ? "" : " - " + message);
}

Result<int> run_use(Call& call) {
  CH_TRY(parse_format(call.flag("output")));
  CH_TRY(call.duration("timeout"));
  if (!call.given("by")) return usage_error("use needs --by KIND/NAME: the workload that gets the credentials");
  CH_TRY_LET(workload, parse_workload("by", call.flag("by")));
  CH_TRY_LET(ns, call.ns());
  CH_TRY_LET(catalog, call.catalog());
  CH_TRY_LET(binding, find_named(call, bindings_kind(), ns, call.argument(0)));
  CH_TRY_LET(usage_kind, find_usage_kind(call, workload.kind));
  CH_TRY_LET(request, request_of(call, ns, usage_kind, workload));
  CH_TRY_LET(created, catalog->create(usages_kind(), ns, request));
  warn_if_missing(call, *catalog, usage_kind, ns, workload.name);
  if (!condition_holds(binding, "Ready")) {
    call.hint(
        fmt::format("Binding {} is not ready yet; the workload gets its credentials when it is.", call.argument(0)));
  }
  if (!call.is_set("wait")) {
    CH_TRY(show(call, created));
    return 0;
  }
  CH_TRY_LET(waited, wait_until_settled(call, usages_kind(), ns, name_of(created), state_of));
  if (waited.how == Waited::kInterrupted) return kInterruptedCode;
  if (waited.how == Waited::kGone) return bad_request(fmt::format("usage {} was deleted meanwhile", name_of(created)));
  CH_TRY(show(call, waited.object));
  if (waited.how == Waited::kFailed) {
    return bad_request(
        fmt::format("usage {} failed; see: svcat describe usage {} -n {}", name_of(created), name_of(created), ns));
  }
  return 0;
}

}  // namespace

Command use() {
  return {
      .verb = "use",
      .arguments = "BINDING",
      .min_arguments = 1,
      .max_arguments = 1,
      .summary = "Give the credentials of a binding to a workload, as environment variables",
      .details =
          "The workload is named by its kind and name. Which kinds there are: svcat get usagekinds. Its pods are "
          "started anew with\none variable for each key of the binding's secret.",
      .examples = {"use mydb --by deployment/web --wait", "use mydb --by statefulset/worker --env-prefix DB_",
                   "use mydb --by deployment/web --restart-on-change --name web-db"},
      .flags = flags_of({{{"by", 0, "KIND/NAME", "The workload, such as deployment/web", "", false, Offer::kWorkloads},
                          {"env-prefix", 0, "TEXT", "Put in front of every variable's name as it is"},
                          {"restart-on-change", 0, "", "Start the pods anew whenever the credentials change"},
                          {"name", 0, "NAME", "Name of the usage; KIND-NAME-BINDING when left out"},
                          namespace_flag(),
                          output_flag()},
                         wait_flags()}),
      .offer = Offer::kBindings,
      .run = run_use};
}

}  // namespace chandler::svcat
