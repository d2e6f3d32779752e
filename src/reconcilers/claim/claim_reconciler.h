// Takes care of claims of every kind: finds the class (or takes the resource that the user names), writes down what is
// going to be made, makes it, waits until it can be used, passes its connection details on, and gives it back when the
// claim goes. Single-threaded as all reconcilers; no state between calls.
#pragma once

#include "controller/reconciler.h"
#include "reconcilers/claim/claim_settings.h"

namespace chandler::reconcilers::claims {

class ClaimReconciler final : public controller::Reconciler {
 public:
  explicit ClaimReconciler(ClaimSettings settings) : settings_(std::move(settings)) {}

  std::string_view name() const override { return "claim"; }
  std::vector<client::KindName> kinds() const override;
  std::vector<client::KindName> reads() const override;
  std::vector<client::KindName> kinds_of(const client::State& state) const override;
  controller::Step reconcile(const client::KindName& kind, const client::Object& object,
                             controller::View& view) const override;

 private:
  const ClaimSettings settings_;
};

// The kinds whose definitions are labelled as claims.
std::vector<client::KindName> labelled_claim_kinds(const std::vector<client::Object>& definitions);

}  // namespace chandler::reconcilers::claims
