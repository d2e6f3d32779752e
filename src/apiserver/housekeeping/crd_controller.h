// Makes CustomResourceDefinitions come true: the kind is served first, then the CRD is called Established; a deleted
// CRD waits until its objects are gone and takes the kind with it.
#pragma once

#include <set>
#include <string>

#include "apiserver/housekeeping/duty.h"
#include "apiserver/housekeeping/system_writer.h"
#include "base/clock.h"
#include "registry/cache.h"
#include "registry/kinds.h"
#include "storage/store.h"

namespace chandler::apiserver {

class CrdController {
 public:
  CrdController(registry::KindTable& kinds, registry::Cache& cache, registry::Objects& objects, const Clock& clock);
  // Serves the kinds that were established before, ahead of filling the cache, so that their objects are read once.
  static Result<void> preload(storage::Store& store, registry::KindTable& kinds, registry::Cache& cache);
  void start();
  void stop() { duty_.stop(); }

 private:
  std::optional<std::chrono::milliseconds> work(const std::string& name);
  Result<void> serve(const registry::Document& document);
  Result<bool> clean_up(const registry::Document& document);  // true when nothing is left
  // Names of the group are free again: definitions that were refused because of them get another look.
  void reconsider_refused(std::string_view group);
  registry::KindPtr crd_kind() const;

  registry::KindTable& kinds_;
  registry::Cache& cache_;
  const Clock& clock_;
  SystemWriter writer_;
  std::set<std::string> refused_;  // definitions whose names are taken; touched by the duty's thread only
  Duty duty_;
};

}  // namespace chandler::apiserver
