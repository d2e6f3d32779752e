// One run over a usage: what it has found so far, and the steps that can follow from it. Lives as long as the run.
#pragma once

#include <optional>

#include "auth/user.h"
#include "controller/view.h"
#include "reconcilers/usage/delivery.h"
#include "reconcilers/usage/usage_target.h"
#include "reconcilers/usage/usage_view.h"

namespace chandler::reconcilers {

class UsagePass {
 public:
  UsagePass(const client::Object& object, const auth::User& controller, controller::View& view)
      : usage_(object), controller_(controller), view_(view) {}

  controller::Step run();        // wanted
  controller::Step dismantle();  // being deleted

 private:
  using Decision = client::Access::Decision;

  // Each answers with a step when there is something to do first.
  std::optional<controller::Step> refer_to_binding();
  std::optional<controller::Step> leave_former_target();
  std::optional<controller::Step> record_snapshot();
  std::optional<controller::Step> write_preset();
  std::optional<controller::Step> export_snapshot();
  std::optional<controller::Step> tell_refusal();
  // Adds the observation of type AccessGranted. False: not known yet.
  bool look_at_access();
  // Adds the observation of type LabelsApplied; a value is what the workload has to become.
  std::optional<json::Value> look_at_labels();
  // Takes off what the snapshot says.
  std::optional<controller::Step> take_off(const UsageSnapshot& snapshot);
  controller::Step conclude();  // writes the status if it differs
  controller::Step write_status(const std::optional<UsageSnapshot>& snapshot, const Observations& observations);
  // The observations up to the rights, and that the labels are not there: for what is told before they are.
  Observations not_applied(std::string_view reason, std::string message) const;
  void look_at_extras();

  const UsageView usage_;
  const auth::User& controller_;
  controller::View& view_;
  Delivery delivery_;
  FoundTarget target_;
  client::Object workload_;
  std::optional<UsageSnapshot> snapshot_;  // as stored
  Observations observations_;
  bool may_look_ = false;   // the controllers have the right to the workload
  bool may_touch_ = false;  // and so has whoever asked
  bool ask_again_ = false;  // somebody was denied
};

}  // namespace chandler::reconcilers
