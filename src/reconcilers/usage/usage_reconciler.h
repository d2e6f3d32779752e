// Delivers the credentials of a binding to a workload. In this order, each a write of its own, so that a crash between
// any two leaves something to go on from:
//   1. the finalizer (where no admission set it) and the reference to the binding,
//   2. what was delivered to another place before is taken off there, as the snapshot of that time says,
//   3. the snapshot of the UsageKind, in status, with the labels that are about to be put on,
//   4. the PodPreset, and the ConfigMap with the snapshot where one is asked for,
//   5. the labels and the record of them, onto the workload, in one write,
//   6. the outcome, in status.
// A deletion goes backwards: labels, PodPreset, finalizer; it needs nothing but the snapshot.
#pragma once

#include "auth/user.h"
#include "controller/reconciler.h"

namespace chandler::reconcilers {

class UsageReconciler final : public controller::Reconciler {
 public:
  explicit UsageReconciler(auth::User controller) : controller_(std::move(controller)) {}
  std::string_view name() const override { return "binding-usage"; }
  std::vector<client::KindName> kinds() const override;
  std::vector<client::KindName> reads() const override;
  controller::Step reconcile(const client::KindName& kind, const client::Object& object,
                             controller::View& view) const override;

 private:
  const auth::User controller_;  // as whom the controllers write
};

}  // namespace chandler::reconcilers
