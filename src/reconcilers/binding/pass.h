// One run of the binding reconciler, as its parts hand it around.
#pragma once

#include <optional>

#include "controller/step.h"
#include "controller/view.h"
#include "reconcilers/binding/binding_view.h"
#include "reconcilers/catalog/settings.h"

namespace chandler::reconcilers {

struct BindingPass {
  const Settings& settings;
  BindingView binding;
  controller::View& view;

  WallTime now() const { return view.now(); }
  Draft draft() const { return Draft(kBindings, binding.object()); }
};

// Names the stored intent: a call made for it carries this word, and so does its answer.
std::string intent_of(const BindingView& binding);
bool answers(const BindingView& binding, const controller::CallOutcome& outcome);  // that intent, not another

// The broker hands the credentials out again, so it may also take its time to make them. progress.cc
bool can_fetch(BindingPass& pass);

// The parts of a run. Each returns the next step.
controller::Step absorb(BindingPass& pass, const controller::CallOutcome& outcome);  // answers.cc
std::optional<controller::Step> complete_record(BindingPass& pass);                  // record.cc; none: it is complete
controller::Step remove(BindingPass& pass);                                          // removal.cc
controller::Step clean_up(BindingPass& pass);                                        // removal.cc
controller::Step poll(BindingPass& pass);                                            // progress.cc
controller::Step proceed(BindingPass& pass);                                         // progress.cc
controller::Step decide(BindingPass& pass);                                          // decision.cc

}  // namespace chandler::reconcilers
