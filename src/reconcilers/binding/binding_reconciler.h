// Takes care of ServiceBindings: waits for the instance, has the broker bind, writes the credentials into a Secret and
// keeps it as it should be, unbinds. The path of a binding:
//   decision.cc   is there something to do, and what does it take
//   progress.cc   the request
//   answers.cc    what each answer of the broker leads to
//   secret.h      the credentials in their Secret
//   removal.cc    the end
// Pure; see controller/reconciler.h.
#pragma once

#include "controller/reconciler.h"
#include "reconcilers/catalog/settings.h"

namespace chandler::reconcilers {

class BindingReconciler final : public controller::Reconciler {
 public:
  explicit BindingReconciler(Settings settings) : settings_(std::move(settings)) {}

  std::string_view name() const override { return "binding"; }
  std::vector<client::KindName> kinds() const override;
  std::vector<client::KindName> reads() const override;
  controller::Step reconcile(const client::KindName& kind, const client::Object& object,
                             controller::View& view) const override;

 private:
  const Settings settings_;
};

}  // namespace chandler::reconcilers
