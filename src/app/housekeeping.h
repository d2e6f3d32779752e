// The duties that a Kubernetes cluster brings along and a server that runs alone must do itself: which of them run, and
// their start and end together. Their listeners are in the cache when this is made, so it is made before the cache
// follows the store. For one thread.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "app/serve_options.h"
#include "base/clock.h"
#include "registry/cache.h"
#include "registry/kinds.h"
#include "registry/objects.h"

namespace chandler::app {

class Housekeeping {
 public:
  // `chosen`: names of duties, see duties.h. The references outlive it.
  Housekeeping(const std::set<std::string, std::less<>>& chosen, const ServeOptions& options,
               registry::KindTable& kinds, registry::Cache& cache, registry::Objects& objects, const Clock& clock,
               const std::string& ca_pem);
  ~Housekeeping();
  void start();
  void stop();  // in the reverse order; idempotent

 private:
  struct Duties;
  const std::unique_ptr<Duties> duties_;
};

}  // namespace chandler::app
