// What an API said against an object that was made from a class, fit for the people who see the claim: they may not
// read the class, so the values of its parameters are not repeated to them. Paths and reasons stay. Pure.
#pragma once

#include <string>
#include <string_view>

#include "json/value.h"

namespace chandler::reconcilers::claims {

// `parameters`: of the class; null when there is none.
std::string without_values(std::string_view message, const json::Value& parameters);

}  // namespace chandler::reconcilers::claims
