#include "reconcilers/usage/usage_kind_reconciler.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "reconcilers/usage/usage_names.h"
#include "reconcilers/usage/usage_target.h"
#include "reconcilers/usage/workload_access.h"

namespace chandler::reconcilers {
namespace {

using Decision = client::Access::Decision;

constexpr size_t kUsagesShown = 5;
constexpr std::string_view kPodTemplate = "spec.template.metadata.labels";

// Kubernetes' own workloads have no CustomResourceDefinition to look into.
struct KnownPath {
  std::string_view group;
  std::string_view plural;
  std::string_view path;
};
constexpr KnownPath kKnownPaths[] = {
    {"apps", "deployments", kPodTemplate},
    {"apps", "statefulsets", kPodTemplate},
    {"apps", "daemonsets", kPodTemplate},
    {"apps", "replicasets", kPodTemplate},
    {"batch", "jobs", kPodTemplate},
    {"batch", "cronjobs", "spec.jobTemplate.spec.template.metadata.labels"},
    {"", "replicationcontrollers", kPodTemplate},
};

const json::Value* schema_of(const client::Object& crd, std::string_view version) {
  const auto* versions = crd ? json::array_at(spec_of(crd), "versions") : nullptr;
  if (versions == nullptr) return nullptr;
  for (const auto& entry : *versions) {
    if (text_at(entry, "name") == version) return json::find_path(entry, {"schema", "openAPIV3Schema"});
  }
  return nullptr;
}

Observation path_state(std::string_view text, const client::ServedKind& served, controller::View& view) {
  Observation out{usage::kPathValid, Truth::kFalse, "PathInvalid", ""};
  const auto path = resolve::LabelPath::parse(text);
  if (!path.ok()) {
    out.message = path.error().message + ".";
    return out;
  }
  const auto crd = view.get(kCrds, "", fmt::format("{}.{}", served.name.plural, served.name.group));
  if (const auto* schema = schema_of(crd, served.version)) {
    using Kind = resolve::PathVerdict::Kind;
    const auto verdict = resolve::judge_label_path(*schema, *path);
    out.truth = verdict.kind == Kind::kFound ? Truth::kTrue : Truth::kFalse;
    out.reason = verdict.kind == Kind::kFound     ? "PathFound"
                 : verdict.kind == Kind::kMissing ? "PathNotInSchema"
                                                  : "PathNotLabels";
    out.message = verdict.kind == Kind::kFound
                      ? fmt::format("The schema of {} has labels at {}.", served.kind, path->str())
                      : fmt::format("Of {}: {}; correct spec.labelsPath.", served.kind, verdict.message);
    return out;
  }
  for (const auto& known : kKnownPaths) {
    if (served.name != client::KindName{known.group, known.plural}) continue;
    const bool fits = path->str() == known.path || path->str() == "metadata.labels";
    out.truth = fits ? Truth::kTrue : Truth::kFalse;
    out.reason = fits ? "PathFound" : "PathNotInSchema";
    out.message =
        fits ? fmt::format("{} has labels at {}.", served.kind, path->str())
             : fmt::format("{} keeps the labels of its pods at {}; correct spec.labelsPath.", served.kind, known.path);
    return out;
  }
  out.truth = Truth::kUnknown;
  out.reason = "SchemaUnknown";
  out.message = fmt::format("The schema of {} is not to be seen from here; `svcat test usagekind` tries the path out.",
                            served.kind);
  out.counts = false;
  return out;
}

controller::Step conclude(const client::KindName& kind, const client::Object& object, const Observations& observations,
                          const std::optional<client::ServedKind>& served, controller::View& view) {
  Draft draft(kind, object);
  auto& status = draft.status();
  observations.put_into(status, "Usable", "Workloads of this kind can be used.", generation_of(object), view.now());
  if (served) {
    json::Object resource;
    resource["group"] = text(served->name.group);
    resource["version"] = text(served->version);
    resource["kind"] = text(served->kind);
    resource["plural"] = text(served->name.plural);
    status["resource"] = std::move(resource);
  } else {
    status.erase("resource");
  }
  if (!draft.changed()) return controller::Step::done();
  return controller::Step::write(std::move(draft).update_status());
}

// Step 3 and step 7 of a UsageKind's deletion: it waits for its usages.
controller::Step reconcile_deletion(const client::KindName& kind, const client::Object& object,
                                    controller::View& view) {
  if (!has_finalizer(object, kUsageKindFinalizer)) return controller::Step::done();
  client::Selection selection;
  selection.fields = {{"spec.usedBy.kind", std::string(object.name())}};
  const auto usages = view.list(kUsages, selection);
  Draft draft(kind, object);
  if (usages.empty()) {
    draft.remove_finalizer(kUsageKindFinalizer);
    return controller::Step::write(std::move(draft).update());
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(usages.size(), kUsagesShown); ++i) {
    names.push_back(fmt::format("{}/{}", usages[i].ns(), usages[i].name()));
  }
  const auto more = usages.size() > names.size() ? fmt::format(" and {} more", usages.size() - names.size()) : "";
  auto& status = draft.status();
  const json::Value before(status);
  const auto message =
      fmt::format("Waits for ServiceBindingUsages {}{}; it goes when they are deleted.", join(names, ", "), more);
  set_condition(status, usage::kInUse, Truth::kTrue, "UsedByBindingUsages", message, view.now());
  status["lastConditionState"] = "UsedByBindingUsages";
  if (!draft.changed()) return controller::Step::done();
  auto step = controller::Step::write(std::move(draft).update_status());
  if (condition(before, usage::kInUse) == nullptr) step.notes.push_back({true, "UsedByBindingUsages", message});
  return step;
}

}  // namespace

std::vector<client::KindName> UsageKindReconciler::kinds() const { return {kUsageKinds}; }

std::vector<client::KindName> UsageKindReconciler::reads() const { return {kUsages, kCrds}; }

controller::Step UsageKindReconciler::reconcile(const client::KindName& kind, const client::Object& object,
                                                controller::View& view) const {
  if (object.deleting()) return reconcile_deletion(kind, object, view);
  if (!has_finalizer(object, kUsageKindFinalizer)) {
    Draft draft(kind, object);
    draft.add_finalizer(kUsageKindFinalizer);
    return controller::Step::write(std::move(draft).update());
  }
  Observations observations;
  auto resolved = resolve_kind(spec_of(object), view);
  observations.add({usage::kEstablished, resolved.truth, resolved.reason, resolved.message});
  if (!resolved.served) {
    const auto* const waits = "The kind has to be served first.";
    observations.add({usage::kAccessible, Truth::kUnknown, "KindNotServed", waits, false});
    observations.add({usage::kPathValid, Truth::kUnknown, "KindNotServed", waits, false});
    return conclude(kind, object, observations, std::nullopt, view);
  }
  const auto answer =
      controllers_may_change(controller_, {resolved.served->name, resolved.served->version, "", ""}, view);
  if (answer.decision == Decision::kUnknown) return controller::Step::done();
  const bool allowed = answer.decision == Decision::kAllowed;
  observations.add(
      {usage::kAccessible, allowed ? Truth::kTrue : Truth::kFalse,
       allowed ? std::string_view("AccessGranted") : "AccessDenied",
       allowed ? std::string("The controllers may change workloads of this kind in all namespaces.") : answer.message});
  observations.add(path_state(text_at(spec_of(object), "labelsPath"), *resolved.served, view));
  auto step = conclude(kind, object, observations, resolved.served, view);
  if (!allowed && step.stages.empty()) step.wake = view.now() + kAskAboutRightsAgain;
  return step;
}

}  // namespace chandler::reconcilers
