// What people type behind --set, as the selector of a claim:
//   zone=a        one value             zone=a,b      one of them
//   zone!=a,b     none of them          zone          any value         !zone   no value
// A key without a slash may be the end of a key that the class offers: zone for failure-domain.beta.kubernetes.io/zone.
// Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "resolve/selector_options.h"

namespace chandler::svcat {

// Usage errors for what is no such term, for a short key that fits several of the class, and for one that fits none.
// A null value when there is nothing to select.
Result<json::Value> build_selector(const std::vector<std::string>& terms,
                                   std::span<const resolve::SelectorOption> options);

}  // namespace chandler::svcat
