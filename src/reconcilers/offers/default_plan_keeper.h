// One default plan per service type and scope. The default in force is acknowledged in its status; a plan that is
// marked beside it takes over: the old one loses its mark, then its acknowledgement, and only then the new one is
// acknowledged, so there are never two. Each plan writes only itself. Several marks at once with no telling which is
// meant are left alone and reported on the plans.
#pragma once

#include "controller/reconciler.h"
#include "reconcilers/catalog/settings.h"

namespace chandler::reconcilers {

// Condition on plans whose mark has no effect yet.
inline constexpr std::string_view kDefaultPlanCondition = "DefaultPlan";

class DefaultPlanKeeper final : public controller::Reconciler {
 public:
  explicit DefaultPlanKeeper(const Settings& settings) : is_on_(settings.service_types) {}

  std::string_view name() const override { return "default-plan"; }
  std::vector<client::KindName> kinds() const override;
  std::vector<client::KindName> reads() const override { return {}; }
  bool needs_look(const client::KindName& kind, const client::Object& object) const override;
  controller::Step reconcile(const client::KindName& kind, const client::Object& object,
                             controller::View& view) const override;

 private:
  const bool is_on_;
};

}  // namespace chandler::reconcilers
