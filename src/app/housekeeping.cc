#include "app/housekeeping.h"

#include "apiserver/housekeeping/claim_protection.h"
#include "apiserver/housekeeping/crd_controller.h"
#include "apiserver/housekeeping/event_expiry.h"
#include "apiserver/housekeeping/garbage_collector.h"
#include "apiserver/housekeeping/namespace_cleaner.h"
#include "apiserver/housekeeping/namespace_contents.h"
#include "apiserver/housekeeping/role_aggregation.h"

namespace chandler::app {

// Null: does not run.
struct Housekeeping::Duties {
  std::unique_ptr<apiserver::CrdController> crds;
  std::unique_ptr<apiserver::GarbageCollector> garbage_collector;
  std::unique_ptr<apiserver::NamespaceCleaner> namespaces;
  std::unique_ptr<apiserver::NamespaceContents> namespace_contents;
  std::unique_ptr<apiserver::EventExpiry> event_expiry;
  std::unique_ptr<apiserver::ClaimProtection> claim_protection;
  std::unique_ptr<apiserver::RoleAggregation> role_aggregation;
};

Housekeeping::Housekeeping(const std::set<std::string, std::less<>>& chosen, const ServeOptions& options,
                           registry::KindTable& kinds, registry::Cache& cache, registry::Objects& objects,
                           const Clock& clock, const std::string& ca_pem)
    : duties_(std::make_unique<Duties>()) {
  auto& all = *duties_;
  all.crds = std::make_unique<apiserver::CrdController>(kinds, cache, objects, clock);
  if (chosen.contains("garbage-collector")) {
    all.garbage_collector = std::make_unique<apiserver::GarbageCollector>(kinds, cache, objects);
  }
  if (chosen.contains("namespaces")) {
    all.namespaces = std::make_unique<apiserver::NamespaceCleaner>(kinds, cache, objects, clock);
  }
  if (chosen.contains("namespace-contents")) {
    all.namespace_contents = std::make_unique<apiserver::NamespaceContents>(kinds, cache, objects, ca_pem);
  }
  if (chosen.contains("event-expiry")) {
    all.event_expiry = std::make_unique<apiserver::EventExpiry>(kinds, cache, objects, clock, options.event_ttl);
  }
  if (chosen.contains("claim-protection")) {
    all.claim_protection = std::make_unique<apiserver::ClaimProtection>(kinds, cache, objects);
  }
  if (chosen.contains("role-aggregation")) {
    all.role_aggregation = std::make_unique<apiserver::RoleAggregation>(kinds, cache, objects);
  }
}

Housekeeping::~Housekeeping() { stop(); }

void Housekeeping::start() {
  auto& all = *duties_;
  all.crds->start();
  if (all.garbage_collector != nullptr) all.garbage_collector->start();
  if (all.namespaces != nullptr) all.namespaces->start();
  if (all.namespace_contents != nullptr) all.namespace_contents->start();
  if (all.event_expiry != nullptr) all.event_expiry->start();
  if (all.claim_protection != nullptr) all.claim_protection->start();
  if (all.role_aggregation != nullptr) all.role_aggregation->start();
}

void Housekeeping::stop() {
  auto& all = *duties_;
  if (all.role_aggregation != nullptr) all.role_aggregation->stop();
  if (all.claim_protection != nullptr) all.claim_protection->stop();
  if (all.event_expiry != nullptr) all.event_expiry->stop();
  if (all.namespace_contents != nullptr) all.namespace_contents->stop();
  if (all.namespaces != nullptr) all.namespaces->stop();
  if (all.garbage_collector != nullptr) all.garbage_collector->stop();
  all.crds->stop();
}

}  // namespace chandler::app
