// What is said about a usage; also shown by use.
#pragma once

#include "svcat/call.h"
#include "svcat/output/details.h"

namespace chandler::svcat {

void describe_usage_to(Details& details, const json::Value& usage);

}  // namespace chandler::svcat
