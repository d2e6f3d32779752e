// Says of every UsageKind whether it can be used (is the kind served, may the controllers change it, does the labels
// path fit), and keeps one that is being deleted until no usage names it any more. Whether one does is looked up when
// the deletion is due and checked again by the server when the finalizer is taken off.
#pragma once

#include "auth/user.h"
#include "controller/reconciler.h"

namespace chandler::reconcilers {

class UsageKindReconciler final : public controller::Reconciler {
 public:
  explicit UsageKindReconciler(auth::User controller) : controller_(std::move(controller)) {}
  std::string_view name() const override { return "usage-kind"; }
  std::vector<client::KindName> kinds() const override;
  std::vector<client::KindName> reads() const override;
  controller::Step reconcile(const client::KindName& kind, const client::Object& object,
                             controller::View& view) const override;

 private:
  const auth::User controller_;  // as whom the controllers write
};

}  // namespace chandler::reconcilers
