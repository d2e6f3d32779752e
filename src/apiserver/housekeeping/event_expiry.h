// Deletes Events some time (an hour, unless told otherwise) after they were last seen.
#pragma once

#include "apiserver/housekeeping/duty.h"
#include "apiserver/housekeeping/system_writer.h"
#include "base/clock.h"
#include "registry/cache.h"
#include "registry/kinds.h"

namespace chandler::apiserver {

class EventExpiry {
 public:
  EventExpiry(const registry::KindTable& kinds, registry::Cache& cache, registry::Objects& objects, const Clock& clock,
              std::chrono::seconds ttl);
  void start();
  void stop() { duty_.stop(); }

 private:
  std::optional<std::chrono::milliseconds> work(const std::string& key);

  const registry::KindTable& kinds_;
  registry::Cache& cache_;
  const Clock& clock_;
  const std::chrono::seconds ttl_;
  SystemWriter writer_;
  Duty duty_;
};

}  // namespace chandler::apiserver
