#include "webhooks/webhook_reviewer.h"

#include <algorithm>
#include <utility>

#include "registry/query.h"
#include "webhooks/hook_match.h"

namespace chandler::webhooks {

WebhookReviewer::WebhookReviewer(http::Client& client, const admission::Lookup& lookup, metrics::Registry& metrics,
                                 const Clock& clock, Run run)
    : lookup_(lookup),
      metrics_(metrics),
      caller_(client, lookup, metrics_, clock),
      parts_{caller_, metrics_, lookup_, std::move(run)} {}

void WebhookReviewer::follow(registry::Cache& cache) {
  cache.listen([this](std::string_view prefix, const registry::Event& event) {
    if (!prefix.starts_with(kGroup) || prefix.substr(kGroup.size(), 1) != "/") return;
    const auto object = event.now->parse();
    if (event.deleted) {
      table_.remove(json::string_or(object, "kind"), event.now->name());
    } else {
      table_.put(object);
    }
    changed();
  });
}

void WebhookReviewer::load(const registry::Kinds& kinds, const registry::Cache& cache) {
  for (const auto& kind : kinds.all()) {
    if (kind->group != kGroup) continue;
    const auto page = cache.list(*kind, registry::Query());
    for (const auto& document : page.ok() ? page->items : std::vector<registry::DocumentPtr>()) {
      table_.put(document->parse());
    }
  }
  changed();
}

bool WebhookReviewer::wants(const registry::AdmissionRequest& request, Phase phase) const {
  const auto hooks = table_.current();
  const auto& list = phase == Phase::kMutate ? hooks->mutating : hooks->validating;
  if (list.empty()) return false;
  const auto place = place_labels(lookup_, request);
  return std::any_of(list.begin(), list.end(),
                     [&](const HookPtr& hook) { return match(*hook, request, place).has_value(); });
}

void WebhookReviewer::review(std::shared_ptr<registry::Review> review, Phase phase, Done done) {
  if (phase == Phase::kMutate) return ask_mutating(parts_, table_.current(), std::move(review), std::move(done));
  ask_validating(parts_, table_.current(), std::move(review), std::move(done));
}

}  // namespace chandler::webhooks
