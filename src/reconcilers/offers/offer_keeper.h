// Takes care of single classes and plans between relists: one that its broker no longer offers goes when the last
// instance has let go of it, plans before their class; a class says how many plans can be had; and the type that an
// operator gives a class, or changes or takes away, reaches its plans at once, since plans are looked up by type.
#pragma once

#include "controller/reconciler.h"
#include "reconcilers/catalog/settings.h"
#include "reconcilers/catalog/views.h"

namespace chandler::reconcilers {

class OfferKeeper final : public controller::Reconciler {
 public:
  explicit OfferKeeper(const Settings& settings) : has_types_(settings.service_types) {}
  std::string_view name() const override { return "offer"; }
  std::vector<client::KindName> kinds() const override;
  std::vector<client::KindName> reads() const override;
  bool needs_look(const client::KindName& kind, const client::Object& object) const override;
  controller::Step reconcile(const client::KindName& kind, const client::Object& object,
                             controller::View& view) const override;

 private:
  controller::Step keep_class(const ClassView& service_class, controller::View& view) const;
  static controller::Step keep_plan(const PlanView& plan, controller::View& view);

  const bool has_types_;
};

}  // namespace chandler::reconcilers
