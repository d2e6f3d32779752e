// The checks of `svcat doctor`, each a pure function from objects to findings.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "json/value.h"

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
// ConfigMaps in which the controller records what was abandoned.
Findings check_abandoned(const Objects& records);

}  // namespace chandler::svcat
