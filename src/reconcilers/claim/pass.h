// One look at a claim: what all parts of the decision share, and how a decision is shown in status. Lives during one
// call of the reconciler.
#pragma once

#include <string>
#include <string_view>

#include "controller/step.h"
#include "controller/view.h"
#include "reconcilers/catalog/conditions.h"
#include "reconcilers/catalog/document.h"
#include "reconcilers/catalog/problem.h"
#include "reconcilers/claim/claim_settings.h"
#include "reconcilers/claim/claim_view.h"

namespace chandler::reconcilers::claims {

struct Pass {
  Pass(const client::KindName& kind, const client::Object& object, const ClaimSettings& with, controller::View& seen)
      : claim(kind, object), settings(with), view(seen), draft(kind, object) {}

  const ClaimView claim;
  const ClaimSettings& settings;
  controller::View& view;
  Draft draft;  // of the status
  std::vector<controller::Note> notes;

  // A change of the reason, or of what it says, becomes an event.
  void set(std::string_view type, Truth truth, std::string_view reason, std::string_view message, bool tell = true);
  void not_ready(std::string_view reason, std::string_view message) { set(kReady, Truth::kFalse, reason, message); }
  void set_phase(std::string_view phase) { draft.status()["bindingPhase"] = text(phase); }

  // Stores the status if it changed, and then `more` of the claim's own document.
  controller::Step finish(std::optional<Draft> more = std::nullopt, std::optional<WallTime> wake = std::nullopt);
  controller::Step stop(const Problem& problem);
  // Another object is written; the status comes with the next look.
  controller::Step then(client::Write write);
};

// resolution.cc: no resource is decided on yet.
controller::Step find_resource(Pass& pass);
// service.cc: the resource is decided on.
controller::Step serve(Pass& pass);
// release.cc: the claim is being deleted.
controller::Step release(Pass& pass);

}  // namespace chandler::reconcilers::claims
