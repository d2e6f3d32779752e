// Keeps the classes and plans of a broker as its catalog has them, in both scopes: reads the catalog when it is due,
// writes what changed, shows in the broker's status how it stands, and tries again with durable back-off when it fails.
#pragma once

#include "controller/reconciler.h"
#include "reconcilers/broker/broker_view.h"
#include "reconcilers/catalog/settings.h"

namespace chandler::reconcilers {

class BrokerReconciler final : public controller::Reconciler {
 public:
  explicit BrokerReconciler(Settings settings) : settings_(std::move(settings)) {}

  std::string_view name() const override { return "broker"; }
  std::vector<client::KindName> kinds() const override;
  std::vector<client::KindName> reads() const override;
  controller::Step reconcile(const client::KindName& kind, const client::Object& object,
                             controller::View& view) const override;

 private:
  // When the catalog is to be read next; nullopt: only a change of the spec asks for it.
  std::optional<WallTime> due_at(const BrokerView& broker) const;
  controller::Step fetch(const BrokerView& broker, controller::View& view) const;
  controller::Step conclude(const BrokerView& broker, const controller::CallOutcome& outcome,
                            controller::View& view) const;
  controller::Step store(const BrokerView& broker, const controller::CallOutcome& outcome,
                         controller::View& view) const;

  const Settings settings_;
};

}  // namespace chandler::reconcilers
