// Making a plan the default of its type.
#pragma once

#include "svcat/call.h"

namespace chandler::svcat {

// Marks the plan and takes the mark from the plans of the same type and scope that had it, in this order: two defaults
// for a moment fail loudly, none would quietly lead to another plan. Prints a line for each.
Result<void> make_default(Call& call, const json::Value& plan);

}  // namespace chandler::svcat
