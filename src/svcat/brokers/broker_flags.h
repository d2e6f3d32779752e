// What the flags of register and set say about a broker.
#pragma once

#include <vector>

#include "svcat/catalog/scopes.h"

namespace chandler::svcat {

std::vector<Flag> broker_flags();
// Into the spec of a broker of that place; what no flag speaks of stays.
Result<void> write_broker(Call& call, const Place& place, json::Object& spec);

}  // namespace chandler::svcat
