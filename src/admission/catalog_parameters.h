// Parameters for brokers: free JSON, within bounds. Pure.
#pragma once

#include <string_view>

#include "admission/rules.h"

namespace chandler::admission {

// The member `field` of the object's spec is not larger or deeper than the controllers handle. What is stored already
// is not looked at again.
void check_parameters(const Context& context, std::string_view field, meta::FieldErrors& errors);

}  // namespace chandler::admission
