// Deletes what nobody owns any more. Driven by changes, not by scans: a deleted owner leads to its dependents through
// the cache's index, an object is looked at when it is new or gets other owners.
#pragma once

#include <map>
#include <set>
#include <string>

#include "apiserver/housekeeping/duty.h"
#include "apiserver/housekeeping/system_writer.h"
#include "registry/cache.h"
#include "registry/kinds.h"

namespace chandler::apiserver {

class GarbageCollector {
 public:
  GarbageCollector(const registry::KindTable& kinds, registry::Cache& cache, registry::Objects& objects);
  void start();  // looks once at everything that has owners, then follows
  void stop() { duty_.stop(); }

 private:
  void on_event(std::string_view prefix, const registry::Event& event);
  void add_owners(const registry::Document& document);
  std::optional<std::chrono::milliseconds> work(const std::string& item);
  // `lost`: the uid of an owner that is known to be gone.
  Result<void> check_dependent(const std::string& key, const std::string& lost = {});
  Result<void> finish_owner(const std::string& key);
  void remember_unknown(const std::string& key);
  registry::KindPtr kind_of(std::string_view prefix) const;

  enum class OwnerState { kSolid, kGone, kWaiting, kUnknown };
  OwnerState owner_state(const json::Value& reference, const registry::Kind& dependent, std::string_view ns,
                         std::string_view lost) const;
  // Store key of the object that a reference names; "" when its kind is not served.
  std::string owner_key(const json::Value& reference, std::string_view ns) const;

  const registry::KindTable& kinds_;
  registry::Cache& cache_;
  SystemWriter writer_;
  // Touched by the duty's thread only.
  static constexpr size_t kFewUnknown = 1000;
  std::set<std::string> unknown_;         // keys of objects with an owner of a kind that is not served
  size_t unknown_limit_ = kFewUnknown;    // so many, and those that are gone are let go
  std::map<std::string, int> conflicts_;  // in a row, by what was to be done
  Duty duty_;
};

}  // namespace chandler::apiserver
