// Takes care of ServiceInstances: finds class and plan, merges parameters, and has the broker provision, update and
// deprovision, so that nothing is lost, doubled or stranded whatever fails when. The path of an instance:
//   resolution.h    which class and plan
//   requests.h      what the broker is sent
//   operations.h    the status of an operation: begin, wait, succeed, fail, clean up
//   answers.cc      what each answer of the broker leads to
// Pure; see controller/reconciler.h.
#pragma once

#include "controller/reconciler.h"
#include "reconcilers/catalog/settings.h"

namespace chandler::reconcilers {

class InstanceReconciler final : public controller::Reconciler {
 public:
  explicit InstanceReconciler(Settings settings) : settings_(std::move(settings)) {}

  std::string_view name() const override { return "instance"; }
  std::vector<client::KindName> kinds() const override;
  std::vector<client::KindName> reads() const override;
  controller::Step reconcile(const client::KindName& kind, const client::Object& object,
                             controller::View& view) const override;

 private:
  const Settings settings_;
};

}  // namespace chandler::reconcilers
