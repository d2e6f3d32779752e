// The controllers of the service catalog over any API: the reconcilers, the engine that runs them and the client that
// talks to brokers. Started and stopped by its owner, from one thread.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "client/api.h"
#include "reconcilers/catalog/settings.h"

namespace chandler::app {

class CatalogControllers {
 public:
  // `api` and `metrics` outlive it.
  CatalogControllers(client::Api& api, reconcilers::Settings settings, const Clock& clock, metrics::Registry& metrics);
  ~CatalogControllers();  // stop()

  // Needs the API to be filled. Finds out the cluster's ID (ConfigMap cluster-info in kube-system, or in default where
  // one is there; made when missing).
  Result<void> start();
  // Calls under way are abandoned: their intent is stored, and they are repeated after the next start.
  void stop();

 private:
  struct Parts;
  client::Api& api_;
  reconcilers::Settings settings_;
  const Clock& clock_;
  metrics::Registry& metrics_;
  std::unique_ptr<Parts> parts_;
};

// Writes and waits. Never on the store's thread.
Result<client::Object> write_and_wait(client::Writer& writer, client::Write write);

}  // namespace chandler::app
