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
