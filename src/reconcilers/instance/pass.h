// One run of the instance reconciler, as its parts hand it around.
#pragma once

#include <optional>

#include "controller/step.h"
#include "controller/view.h"
#include "reconcilers/catalog/settings.h"
#include "reconcilers/instance/instance_view.h"

namespace chandler::reconcilers {

struct InstancePass {
  const Settings& settings;
  InstanceView instance;
  controller::View& view;

  WallTime now() const { return view.now(); }
  Draft draft() const { return Draft(kInstances, instance.object()); }
};

// Names the stored intent: a call made for it carries this word, and so does its answer.
std::string intent_of(const json::Value& status);
inline std::string intent_of(const InstanceView& instance) { return intent_of(instance.status()); }
bool answers(const InstanceView& instance, const controller::CallOutcome& outcome);  // that intent, not another

// The parts of a run. Each returns the next step.
controller::Step absorb(InstancePass& pass, const controller::CallOutcome& outcome);  // answers.cc
std::optional<controller::Step> complete_record(InstancePass& pass);                  // record.cc; none: it is complete
controller::Step remove(InstancePass& pass);                                          // removal.cc
controller::Step clean_up(InstancePass& pass);                                        // removal.cc
controller::Step poll(InstancePass& pass);                                            // polling.cc
controller::Step proceed(InstancePass& pass);                                         // progress.cc
controller::Step decide(InstancePass& pass);                                          // progress.cc

}  // namespace chandler::reconcilers
