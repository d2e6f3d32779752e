// The engine's Reviewer: admission webhooks. Knows the configurations as they are stored (a change is in force before
// its writer is told), matches writes with them and has them asked. Borrows what it is made with. Thread-safe.
#pragma once

#include <functional>
#include <memory>

#include "admission/lookup.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "http/client.h"
#include "registry/cache.h"
#include "registry/kinds.h"
#include "registry/reviewer.h"
#include "webhooks/hook_caller.h"
#include "webhooks/hook_metrics.h"
#include "webhooks/hook_table.h"
#include "webhooks/review_round.h"

namespace chandler::webhooks {

class WebhookReviewer final : public registry::Reviewer {
 public:
  using Run = std::function<void(std::function<void()>)>;
  // `run` carries out what follows an answer: away from the client's thread if it can, at once if it must.
  WebhookReviewer(http::Client& client, const admission::Lookup& lookup, metrics::Registry& metrics, const Clock& clock,
                  Run run);

  // Before the cache follows the store...
  void follow(registry::Cache& cache);
  // ...and after: everything that is stored.
  void load(const registry::Kinds& kinds, const registry::Cache& cache);

  bool wants(const registry::AdmissionRequest& request, Phase phase) const override;
  void review(std::shared_ptr<registry::Review> review, Phase phase, Done done) override;

 private:
  void changed() { set_idle(table_.current()->empty()); }

  const admission::Lookup& lookup_;
  HookMetrics metrics_;
  HookCaller caller_;
  const RoundParts parts_;
  HookTable table_;
};

}  // namespace chandler::webhooks
