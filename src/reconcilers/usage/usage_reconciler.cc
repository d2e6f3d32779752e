#include "reconcilers/usage/usage_reconciler.h"

#include "reconcilers/catalog/kinds.h"
#include "reconcilers/usage/usage_names.h"
#include "reconcilers/usage/usage_pass.h"

namespace chandler::reconcilers {

std::vector<client::KindName> UsageReconciler::kinds() const { return {kUsages}; }

std::vector<client::KindName> UsageReconciler::reads() const {
  // Workloads are followed from the moment that a usage names one.
  return {kUsageKinds, kBindings, kSecrets, kInstances, kClusterClasses, kClasses, kPodPresets, kSnapshotMaps, kCrds};
}

controller::Step UsageReconciler::reconcile(const client::KindName&, const client::Object& object,
                                            controller::View& view) const {
  UsagePass pass(object, controller_, view);
  return object.deleting() ? pass.dismantle() : pass.run();
}

controller::Step UsagePass::dismantle() {
  // Without our finalizer others hold it; ours is done, or was never begun.
  if (!has_finalizer(usage_.object(), kUsageFinalizer)) return controller::Step::done();
  snapshot_ = usage_.snapshot();
  if (snapshot_) {
    if (auto step = take_off(*snapshot_)) return std::move(*step);
  }
  const auto preset = view_.get(kPodPresets, usage_.ns(), usage_.preset_name());
  if (preset && !preset.deleting() && has_owner(preset, usage_.uid())) {
    return controller::Step::write(delete_of(kPodPresets, preset));
  }
  Draft draft(kUsages, usage_.object());
  draft.remove_finalizer(kUsageFinalizer);
  return controller::Step::write(std::move(draft).update());
}

}  // namespace chandler::reconcilers
