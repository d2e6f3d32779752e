// Whether one set of rules lies within another, and what of it does not. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "auth/rule.h"

namespace chandler::auth {

struct Missing {
  std::vector<std::string> shown;  // the first of them, described: a line per resource, name or URL, with the verbs
  uint64_t count = 0;              // of such lines, shown or not, as far as the check came
  bool complete = true;            // false: there was more to compare than the check compares

  bool empty() const { return complete && count == 0; }
};

// What of `wanted` is not within `owned`. A wanted rule stands for single permissions, each of a verb, a group, a
// resource and a name, or of a verb and a URL. Each must lie within one owned rule, so that rights may come from
// several roles.
//
// The cost is in proportion to the rules, not to the permissions: values that the same owned rules hold are compared
// once. Only where many owned rules overlap in many ways does that leave much to compare. The check then stops after
// `max_steps`, and the answer is incomplete, which is never empty.
inline constexpr size_t kMaxCoverageSteps = 5'000'000;
Missing missing_rules(const std::vector<Rule>& owned, const std::vector<Rule>& wanted,
                      size_t max_steps = kMaxCoverageSteps);

}  // namespace chandler::auth
