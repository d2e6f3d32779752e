// Tells people what became of PodPresets: admission leaves a mark on each pod, of what it was given and of what could
// not be given and why, and this puts it where it is looked for: an Event about the pod and a condition of the
// PodPreset, from where the usage takes it. The youngest pod counts, so a restart writes nothing.
#pragma once

#include "controller/reconciler.h"

namespace chandler::reconcilers {

class InjectionReporter final : public controller::Reconciler {
 public:
  std::string_view name() const override { return "injection"; }
  std::vector<client::KindName> kinds() const override;
  std::vector<client::KindName> reads() const override;
  controller::Step reconcile(const client::KindName& kind, const client::Object& pod,
                             controller::View& view) const override;
};

}  // namespace chandler::reconcilers
