// Keeps the phase of a volume true, releases it when its claim is gone, and does with it then what its reclaim policy
// says. Volumes of our own provisioner leave nothing behind on the disk: their object goes last.
#pragma once

#include "controller/reconciler.h"
#include "reconcilers/volume/volume_kinds.h"

namespace chandler::reconcilers {

class VolumeReconciler final : public controller::Reconciler {
 public:
  explicit VolumeReconciler(VolumeSettings settings) : settings_(std::move(settings)) {}
  std::string_view name() const override { return "volume"; }
  std::vector<client::KindName> kinds() const override;
  std::vector<client::KindName> reads() const override;
  controller::Step reconcile(const client::KindName& kind, const client::Object& volume,
                             controller::View& view) const override;

 private:
  controller::Step reclaim(const client::Object& volume, controller::View& view) const;
  controller::Step remove(const client::Object& volume, controller::View& view) const;

  const VolumeSettings settings_;
};

}  // namespace chandler::reconcilers
