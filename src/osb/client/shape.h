// What the body of a successful answer must look like: per method and status, the fields we rely on with their types.
// Unknown fields are nobody's business. Pure.
#pragma once

#include <string>

#include "json/value.h"
#include "osb/call.h"

namespace chandler::osb {

// Whether an answer with this status may have an empty body.
bool may_be_empty(Method method, int status);
// Empty when `body` is as promised, otherwise what is wrong: names the field, never its value.
std::string find_fault(Method method, int status, const json::Value& body);

}  // namespace chandler::osb
