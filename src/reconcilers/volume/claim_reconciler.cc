#include "reconcilers/volume/claim_reconciler.h"

#include "reconcilers/catalog/document.h"
#include "reconcilers/volume/claim_pass.h"

namespace chandler::reconcilers {

std::vector<client::KindName> ClaimReconciler::kinds() const { return {kClaims}; }

std::vector<client::KindName> ClaimReconciler::reads() const { return {kVolumes, kStorageClasses}; }

controller::Step ClaimReconciler::reconcile(const client::KindName&, const client::Object& claim,
                                            controller::View& view) const {
  return ClaimPass(settings_, claim, view).decide();
}

controller::Step ClaimPass::decide() {
  if (claim_.deleting()) return release();
  const auto volume = text_at(spec_of(claim_), "volumeName");
  if (!settings_.binds) {
    if (!volume.empty()) return release();
    // Another controller asks for a provisioner by its name.
    const bool ours = annotation_of(claim_, kStorageProvisioner) == kLocalProvisioner ||
                      annotation_of(claim_, kBetaStorageProvisioner) == kLocalProvisioner;
    return ours && !settings_.pools.empty() ? look_for_volume() : controller::Step::done();
  }
  if (volume.empty()) return look_for_volume();
  return annotation_of(claim_, kBindCompleted).empty() ? bind_named(volume) : confirm(volume);
}

}  // namespace chandler::reconcilers
