// What is said about a broker; also shown by register --wait.
#pragma once

#include "svcat/call.h"

namespace chandler::svcat {

void describe_broker_to(Call& call, const json::Value& broker);

}  // namespace chandler::svcat
