// Looks up the classes that may serve a claim, by index, and has src/resolve decide. What was looked at, empty results
// too, is what the claim is woken by: a default that comes later is picked up without a timer.
#pragma once

#include <vector>

#include "controller/view.h"
#include "reconcilers/catalog/problem.h"
#include "reconcilers/claim/claim_settings.h"
#include "reconcilers/claim/claim_view.h"
#include "resolve/claim_class.h"

namespace chandler::reconcilers::claims {

struct ClassAnswer {
  resolve::ClassRequest request;
  std::vector<resolve::ClassOption> options;
  std::vector<client::Object> classes;  // of the options, in the same order
  resolve::ClassDecision decision;

  bool is_chosen() const { return decision.outcome == resolve::ClassOutcome::kChosen; }
  const client::Object& chosen() const { return classes[decision.index]; }
};

// `reference` empty: the claim names no class. A problem: its selector is none.
Found<ClassAnswer> find_class(const ClaimView& claim, const ClassName& reference, const ClaimSettings& settings,
                              controller::View& view);

// The claim still asks for what led to the class that was chosen for it.
bool still_fits(const ClaimView& claim, const client::Object& chosen);

// The word for the condition ClassResolved, true or false.
std::string_view reason_of(const ClassAnswer& answer);

// status.resolution: the decision with its reasons. The time moves only when something else does.
json::Value describe(const ClassAnswer& answer, const json::Value& before, WallTime now);

}  // namespace chandler::reconcilers::claims
