// Which parameters a plan's schema calls sensitive: `writeOnly: true`, or `format: password`. Pure, thread-safe.
#pragma once

#include <functional>

#include "json/value.h"

namespace chandler::resolve {

// Calls `found` with each value (an object or list as a whole) to which the schema applies such a mark, through any of
// its branches: what a value would have to be for a branch to count is not asked. False: the schema is too entangled to
// follow, and there may be more.
bool find_sensitive_parameters(const json::Value& schema, const json::Value& parameters,
                               const std::function<void(const json::Value&)>& found);

}  // namespace chandler::resolve
