#include "reconcilers/volume/volume_reconciler.h"

#include <algorithm>

#include <fmt/format.h>

#include "reconcilers/catalog/document.h"
#include "reconcilers/volume/handshake.h"
#include "reconcilers/volume/local_calls.h"

namespace chandler::reconcilers {
namespace {

std::string policy_of(const client::Object& volume) {
  return json::string_or(spec_of(volume), "persistentVolumeReclaimPolicy", "Retain");
}

bool is_local(const client::Object& volume) { return annotation_of(volume, kProvisionedBy) == kLocalProvisioner; }

// The machine that it lies on, as local_volume() has written it. "" when it does not say.
std::string node_of(const client::Object& volume) {
  const auto* terms = json::array_at(member(spec_of(volume), {"nodeAffinity", "required"}), "nodeSelectorTerms");
  if (terms == nullptr || terms->empty()) return "";
  const auto* expressions = json::array_at(terms->front(), "matchExpressions");
  for (size_t i = 0; expressions != nullptr && i < expressions->size(); ++i) {
    const auto& expression = (*expressions)[i];
    const auto* values = json::array_at(expression, "values");
    if (text_at(expression, "key") != kHostnameLabel || values == nullptr || values->empty()) continue;
    if (values->front().is_string()) return std::string(json::view(values->front().get_string()));
  }
  return "";
}

controller::Step drop_finalizers(const client::Object& volume, bool binds) {
  Draft draft(kVolumes, volume);
  if (binds && has_finalizer(volume, kVolumeProtection)) draft.remove_finalizer(kVolumeProtection);
  if (has_finalizer(volume, kLocalVolumeFinalizer)) draft.remove_finalizer(kLocalVolumeFinalizer);
  return draft.changed() ? controller::Step::write(std::move(draft).update()) : controller::Step::done();
}

// The claim went to another volume. What users wrote into claimRef stays.
controller::Step free_again(const client::Object& volume) {
  Draft draft(kVolumes, volume);
  if (annotation_of(volume, kBoundByController).empty()) {
    object_in(draft.spec(), "claimRef").erase("uid");
  } else {
    draft.spec().erase("claimRef");
    draft.set_annotation(kBoundByController, std::nullopt);
  }
  return controller::Step::write(std::move(draft).update());
}

controller::Step fail(const client::Object& volume, std::string_view reason, const std::string& message) {
  auto step = set_phase(volume, "Failed", reason, message);
  if (!step.stages.empty()) step.notes.push_back({true, std::string(reason), message});
  return step;
}

}  // namespace

std::vector<client::KindName> VolumeReconciler::kinds() const { return {kVolumes}; }

std::vector<client::KindName> VolumeReconciler::reads() const { return {kClaims}; }

controller::Step VolumeReconciler::reconcile(const client::KindName&, const client::Object& volume,
                                             controller::View& view) const {
  if (!settings_.binds && !is_local(volume)) return controller::Step::done();
  if (settings_.binds && !volume.deleting() && !has_finalizer(volume, kVolumeProtection)) {
    Draft draft(kVolumes, volume);  // where no admission does it
    draft.add_finalizer(kVolumeProtection);
    return controller::Step::write(std::move(draft).update());
  }
  const auto& reference = member(spec_of(volume), "claimRef");
  const auto uid = text_at(reference, "uid");
  if (uid.empty()) {
    if (volume.deleting()) return remove(volume, view);
    return settings_.binds ? set_phase(volume, "Available", "", "") : controller::Step::done();
  }
  const auto claim = view.get(kClaims, text_at(reference, "namespace"), text_at(reference, "name"));
  if (!claim || claim.uid() != uid) return reclaim(volume, view);
  const auto bound_to = text_at(spec_of(claim), "volumeName");
  if (!settings_.binds) return controller::Step::done();
  if (bound_to == volume.name()) return set_phase(volume, "Bound", "", "");
  if (bound_to.empty())
    return volume.deleting() ? remove(volume, view) : controller::Step::done();  // about to be bound
  // Made for a claim that found another volume meanwhile.
  if (!annotation_of(volume, kProvisionedBy).empty() && policy_of(volume) == "Delete") return reclaim(volume, view);
  return volume.deleting() ? remove(volume, view) : free_again(volume);
}

controller::Step VolumeReconciler::reclaim(const client::Object& volume, controller::View& view) const {
  const auto phase = text_at(status_of(volume), "phase");
  if (settings_.binds && phase != "Released" && phase != "Failed") return set_phase(volume, "Released", "", "");
  if (volume.deleting()) return remove(volume, view);
  const auto policy = policy_of(volume);
  if (policy == "Retain") return settings_.binds ? set_phase(volume, "Released", "", "") : controller::Step::done();
  if (policy != "Delete") {
    return fail(volume, "VolumeFailedRecycle",
                "volumes are not recycled: set persistentVolumeReclaimPolicy to Retain or Delete");
  }
  // The object is deleted first, and waits for the disk: so a crash never leaves a directory that nothing names.
  if (is_local(volume)) {
    if (!settings_.binds && phase != "Released") return controller::Step::done();
    return controller::Step::write(delete_of(kVolumes, volume));
  }
  if (!annotation_of(volume, kProvisionedBy).empty()) return controller::Step::done();  // its provisioner's business
  return fail(
      volume, "VolumeFailedDelete",
      "no provisioner made this volume, so none can delete it: delete what it stands for and then the object, or "
      "set persistentVolumeReclaimPolicy to Retain");
}

// The object is on its way out and no claim uses it.
controller::Step VolumeReconciler::remove(const client::Object& volume, controller::View& view) const {
  const auto& pools = settings_.pools;
  if (!is_local(volume) || !has_finalizer(volume, kLocalVolumeFinalizer) || policy_of(volume) == "Retain") {
    return drop_finalizers(volume, settings_.binds);
  }
  const auto pool = annotation_of(volume, kPoolAnnotation);
  const bool known = std::any_of(pools.begin(), pools.end(), [&](const auto& p) { return p.name == pool; });
  controller::Step step;
  // On a cluster another machine may have had the lease: its pools are called the same, and nothing is found here.
  if (const auto node = node_of(volume); !settings_.binds && !node.empty() && node != settings_.node) {
    step.notes.push_back(
        {true, "VolumeFailedDelete",
         fmt::format("it lies on node \"{}\", and this is \"{}\": run the controllers there (or say --volume-node), or "
                     "set persistentVolumeReclaimPolicy to Retain to give up what lies there",
                     node, settings_.node)});
    return step;
  }
  if (!known) {
    step.notes.push_back(
        {true, "VolumeFailedDelete",
         fmt::format("there is no pool \"{}\" here: start the server with --local-volume-pool {}=DIR, or set "
                     "persistentVolumeReclaimPolicy to Retain to give up what lies there",
                     pool, pool)});
    return step;
  }
  auto call = remove_call(std::string(volume.name()), pool);
  const auto* outcome = view.outcome();
  if (!answers(outcome, call)) {
    step.call = std::move(call);
    return step;
  }
  if (succeeded(*outcome)) return drop_finalizers(volume, settings_.binds);
  step.notes.push_back({true, "VolumeFailedDelete", fault_in(*outcome)});
  step.wake = retry_at(*outcome, view.now());
  return step;
}

}  // namespace chandler::reconcilers
