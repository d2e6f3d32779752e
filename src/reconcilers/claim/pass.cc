#include "reconcilers/claim/pass.h"

#include "reconcilers/claim/reasons.h"

namespace chandler::reconcilers::claims {

void Pass::set(std::string_view type, Truth truth, std::string_view reason, std::string_view message, bool tell) {
  const auto* before = condition(claim.status(), type);
  const bool told = before != nullptr && text_at(*before, "reason") == reason && text_at(*before, "message") == message;
  set_condition(draft.status(), type, truth, reason, message, view.now());
  if (told || !tell) return;
  const bool is_progress = truth == Truth::kTrue || reason == reason::kCreating || reason == reason::kDeleting ||
                           reason == reason::kWaitingForResource || reason == reason::kWaitingForBinding ||
                           reason == reason::kWaitingForSecret;
  notes.push_back({!is_progress, std::string(reason), std::string(message)});
}

controller::Step Pass::finish(std::optional<Draft> more, std::optional<WallTime> wake) {
  if (text_at(claim.status(), "bindingPhase").empty() && !draft.status().contains("bindingPhase")) set_phase("Unbound");
  controller::Step step;
  step.wake = wake;
  if (draft.changed()) {
    draft.status()["observedGeneration"] = generation_of(claim.object());
    step.stages.emplace_back().push_back(std::move(draft).update_status());
    step.notes = std::move(notes);
  }
  if (more && more->changed()) step.stages.emplace_back().push_back(std::move(*more).update());
  return step;
}

controller::Step Pass::stop(const Problem& problem) {
  not_ready(problem.reason, problem.message);
  return finish();
}

controller::Step Pass::then(client::Write write) { return controller::Step::write(std::move(write)); }

}  // namespace chandler::reconcilers::claims
