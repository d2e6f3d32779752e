// Lets go of deleted PersistentVolumeClaims: the finalizer that every claim is born with is removed once no Pod uses
// the claim any more.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "apiserver/housekeeping/duty.h"
#include "apiserver/housekeeping/system_writer.h"
#include "registry/cache.h"
#include "registry/kinds.h"

namespace chandler::apiserver {

class ClaimProtection {
 public:
  ClaimProtection(const registry::KindTable& kinds, registry::Cache& cache, registry::Objects& objects);
  void start();
  void stop() { duty_.stop(); }

 private:
  using Names = std::set<std::string, std::less<>>;

  // Releases the claims of a namespace: together, so that its Pods are read once for all of them.
  std::optional<std::chrono::milliseconds> work(const std::string& ns);
  Result<Names> claims_in_use(std::string_view ns) const;
  bool release(const registry::KindPtr& kind, const registry::Document& claim);  // false: try again later
  Result<std::vector<registry::DocumentPtr>> objects_of(const registry::Kind& kind, std::string_view ns) const;

  const registry::KindTable& kinds_;
  registry::Cache& cache_;
  SystemWriter writer_;
  Duty duty_;
};

}  // namespace chandler::apiserver
