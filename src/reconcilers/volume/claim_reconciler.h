// Takes a claim to its volume: an existing one that fits, one that our provisioner makes, or one that a provisioner
// outside is asked for. A claim without a class gets the default one as soon as there is one. Whatever keeps it waiting
// is said on the claim; a change of anything it depends on, its class included, has it looked at again.
#pragma once

#include "controller/reconciler.h"
#include "reconcilers/volume/volume_kinds.h"

namespace chandler::reconcilers {

class ClaimReconciler final : public controller::Reconciler {
 public:
  explicit ClaimReconciler(VolumeSettings settings) : settings_(std::move(settings)) {}
  std::string_view name() const override { return "volume-claim"; }
  std::vector<client::KindName> kinds() const override;
  std::vector<client::KindName> reads() const override;
  controller::Step reconcile(const client::KindName& kind, const client::Object& claim,
                             controller::View& view) const override;

 private:
  const VolumeSettings settings_;
};

}  // namespace chandler::reconcilers
