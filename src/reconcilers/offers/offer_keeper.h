// Takes care of single classes and plans between relists: one that its broker no longer offers goes when the last
// instance has let go of it, plans before their class; and a class says how many plans can be had.
#pragma once

#include "controller/reconciler.h"
#include "reconcilers/catalog/views.h"

namespace chandler::reconcilers {

class OfferKeeper final : public controller::Reconciler {
 public:
  std::string_view name() const override { return "offer"; }
  std::vector<client::KindName> kinds() const override;
  std::vector<client::KindName> reads() const override;
  controller::Step reconcile(const client::KindName& kind, const client::Object& object,
                             controller::View& view) const override;

 private:
  static controller::Step keep_class(const ClassView& service_class, controller::View& view);
  static controller::Step keep_plan(const PlanView& plan, controller::View& view);
};

}  // namespace chandler::reconcilers
