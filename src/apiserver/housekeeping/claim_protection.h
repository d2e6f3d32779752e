// Lets go of deleted PersistentVolumeClaims: the finalizer that every claim is born with is removed once no Pod uses
// the claim any more.
#pragma once

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
  void look_at_claims_of(const registry::Document& pod);
  std::optional<std::chrono::milliseconds> work(const std::string& key);
  bool in_use(std::string_view ns, std::string_view claim) const;

  const registry::KindTable& kinds_;
  registry::Cache& cache_;
  SystemWriter writer_;
  Duty duty_;
};

}  // namespace chandler::apiserver
