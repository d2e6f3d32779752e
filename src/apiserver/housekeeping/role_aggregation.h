// Keeps the rules of aggregated ClusterRoles in step: a role with an aggregationRule holds the rules of all roles that
// its selectors match, in the order of their names, each rule once. So who brings a new kind extends `view`, `edit` and
// `admin` by a ClusterRole with a label. Roles may feed each other; a change travels from one to the next until nothing
// differs, and nothing is written that would not change anything.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/housekeeping/duty.h"
#include "apiserver/housekeeping/system_writer.h"
#include "registry/cache.h"
#include "registry/kinds.h"

namespace chandler::apiserver {

class RoleAggregation {
 public:
  RoleAggregation(const registry::KindTable& kinds, registry::Cache& cache, registry::Objects& objects);
  void start();
  void stop() { duty_.stop(); }
  std::optional<std::chrono::milliseconds> bring_all_in_step();  // says when to try again what could not be written

 private:
  bool bring_in_step(const registry::KindPtr& kind, const registry::Document& role);  // false: try again later

  const registry::KindTable& kinds_;
  registry::Cache& cache_;
  SystemWriter writer_;
  Duty duty_;
};

// The rules that `role` (a ClusterRole with an aggregationRule) is to hold, by what is in the cache now.
Result<json::Array> aggregated_rules(const registry::Cache& cache, const registry::Kind& kind, const json::Value& role);

}  // namespace chandler::apiserver
