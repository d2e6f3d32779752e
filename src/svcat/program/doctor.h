// The checks of `svcat doctor`, each a pure function from objects to findings.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "json/value.h"
#include "svcat/catalog/fields.h"

namespace chandler::svcat {

struct Finding {
  std::string what;   // "broker azure: ..."
  std::string helps;  // a command
  bool operator==(const Finding&) const = default;
};

using Objects = std::vector<json::Value>;
using Findings = std::vector<Finding>;

Findings check_brokers(const Objects& brokers);
// Several defaults of one type in one scope, several suggestions without a default, types with neither.
Findings check_defaults(const Objects& plans);
// Classes that name a broker which does not exist.
Findings check_orphans(const Objects& classes, const Objects& brokers);
Findings check_instances(const Objects& instances, WallTime now);
Findings check_bindings(const Objects& bindings, WallTime now);
// What the other families have: usages that deliver nothing, claims without a class or a resource (all of one kind, as
// `explain claim` calls it), volume claims without a volume.
Findings check_usages(const Objects& usages, WallTime now);
Findings check_usage_kinds(const Objects& kinds);
Findings check_claims(const Objects& claims, const std::string& kind, WallTime now);
Findings check_volume_claims(const Objects& claims, WallTime now);
// ConfigMaps in which the controller records what was abandoned.
Findings check_abandoned(const Objects& records);

// For the checks: " -n dev" or " --cluster"; whether the time at `path` is longer ago than a start or a deletion should
// take.
std::string place_flag(const json::Value& object);
bool is_slow(const json::Value& object, Path path, WallTime now);

}  // namespace chandler::svcat
