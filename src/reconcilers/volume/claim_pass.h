// One look at a claim: the parts of ClaimReconciler, by what they do. Lives for one decision.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controller/view.h"
#include "reconcilers/volume/claim_waiting.h"
#include "reconcilers/volume/local_order.h"
#include "reconcilers/volume/volume_kinds.h"

namespace chandler::reconcilers {

class ClaimPass {
 public:
  ClaimPass(const VolumeSettings& settings, const client::Object& claim, controller::View& view)
      : settings_(settings), claim_(claim), view_(view) {}

  controller::Step decide();

 private:
  // claim_binding.cc: claims and existing volumes
  controller::Step confirm(const std::string& volume_name);
  controller::Step bind_named(const std::string& volume_name);
  client::Object reserved_volume();
  client::Object free_volume(const std::string& class_name);
  controller::Step give_default_class();

  // claim_provisioning.cc: new volumes
  controller::Step look_for_volume();
  controller::Step provision(const client::Object& storage_class);
  controller::Step provision_outside(const client::Object& storage_class);
  controller::Step order(const client::Object& storage_class);
  controller::Step carry_out(const LocalOrder& order);
  controller::Step release();
  controller::Step reschedule(const std::string& why);
  bool waits_for_node(const client::Object& storage_class) const;

  controller::Step wait(std::string_view event, std::string message, std::string reason = "", bool warning = true) {
    return reconcilers::wait(claim_, {event, std::move(reason), std::move(message), warning}, view_.now());
  }

  const VolumeSettings& settings_;
  const client::Object& claim_;
  controller::View& view_;
};

}  // namespace chandler::reconcilers
