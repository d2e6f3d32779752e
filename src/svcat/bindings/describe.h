// What is said about a binding; also shown by bind.
#pragma once

#include "svcat/call.h"
#include "svcat/output/details.h"

namespace chandler::svcat {

void describe_binding_to(Details& details, const json::Value& binding);

// The transforms in the spec, under either spelling; null: none.
const json::Value* transforms_of(const json::Value& binding);

}  // namespace chandler::svcat
