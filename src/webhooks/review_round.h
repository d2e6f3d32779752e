// Asking those who want to see a write. Mutating webhooks one after the other, each seeing what those before it made of
// the object, and once more those that ask for it when a later one has changed something; validating webhooks side by
// side. A round keeps itself alive until it has called `done`.
#pragma once

#include <functional>
#include <memory>

#include "admission/lookup.h"
#include "registry/reviewer.h"
#include "webhooks/hook_caller.h"
#include "webhooks/hook_metrics.h"
#include "webhooks/hook_table.h"

namespace chandler::webhooks {

// What a round works with; outlives it.
struct RoundParts {
  HookCaller& caller;
  HookMetrics& metrics;
  const admission::Lookup& lookup;
  // Runs what follows an answer, away from the thread that answers come in on.
  std::function<void(std::function<void()>)> run;
};

// The labels of the namespace that the write is in.
meta::LabelLookup place_labels(const admission::Lookup& lookup, const registry::AdmissionRequest& request);

void ask_mutating(const RoundParts& parts, HooksPtr hooks, std::shared_ptr<registry::Review> review,
                  registry::Reviewer::Done done);
void ask_validating(const RoundParts& parts, HooksPtr hooks, std::shared_ptr<registry::Review> review,
                    registry::Reviewer::Done done);

}  // namespace chandler::webhooks
