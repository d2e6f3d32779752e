// Figures about the catalog's objects: how many are in which state, how long they took to become Ready, how much each
// broker offers. Kept up to date by changes, never by a scan. Listens from construction on; thread-safe.
#pragma once

#include <memory>
#include <string_view>

#include "base/clock.h"
#include "base/metrics.h"
#include "client/api.h"

namespace chandler::app {

class CatalogMetrics {
 public:
  // Counts what is there, then follows. Made while nobody else writes, or a change in that moment may be counted twice.
  CatalogMetrics(client::State& state, metrics::Registry& metrics, const Clock& clock);

 private:
  struct Figures;
  std::shared_ptr<Figures> figures_;  // shared with the listener, which may outlive this
};

}  // namespace chandler::app
