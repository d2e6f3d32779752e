// Empties namespaces that are being deleted, and finishes them. What still holds one is told in its conditions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "apiserver/housekeeping/duty.h"
#include "apiserver/housekeeping/system_writer.h"
#include "base/clock.h"
#include "registry/cache.h"
#include "registry/kinds.h"

namespace chandler::apiserver {

class NamespaceCleaner {
 public:
  NamespaceCleaner(const registry::KindTable& kinds, registry::Cache& cache, registry::Objects& objects,
                   const Clock& clock);
  void start();
  void stop() { duty_.stop(); }

 private:
  struct Remains {
    std::map<std::string, size_t> by_resource;
    std::map<std::string, size_t> by_finalizer;
    std::vector<std::string> failures;
  };
  std::optional<std::chrono::milliseconds> work(const std::string& name);
  Remains empty(std::string_view ns);
  Result<void> report(const registry::KindPtr& kind, const std::string& name, const Remains& remains);

  const registry::KindTable& kinds_;
  registry::Cache& cache_;
  const Clock& clock_;
  SystemWriter writer_;
  Duty duty_;
};

}  // namespace chandler::apiserver
