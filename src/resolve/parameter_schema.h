// Checking parameters against the JSON Schema that a broker publishes for a plan (drafts 4 to 7; references inside the
// document only). What is wrong with the schema is never held against the user. Pure, thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace chandler::resolve {

struct ParameterFault {
  std::string path;  // "parameters.firewallRules[0].name"
  std::string rule;  // what the schema demands; never the value
  bool operator==(const ParameterFault&) const = default;
};

struct ParameterCheck {
  // Why the schema cannot be used (a reference to elsewhere, an unknown type, a pattern that RE2 does not take); then
  // nothing was checked. Empty: it was used.
  std::string schema_unusable;
  std::vector<ParameterFault> faults;  // at most kMaxParameterFaults

  bool ok() const { return faults.empty(); }
};

constexpr size_t kMaxParameterFaults = 50;

// A null or empty schema allows everything. Null parameters count as {}. `root` begins the paths.
ParameterCheck validate_parameters(const json::Value& schema, const json::Value& parameters,
                                   std::string_view root = "parameters");

// One line for a condition: "parameters.size: must be of type integer: got string; parameters.name: is required".
std::string describe_faults(const std::vector<ParameterFault>& faults);

}  // namespace chandler::resolve
