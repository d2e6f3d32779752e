// Reading claims and their classes: one name for each thing that commands show. Pure.
#pragma once

#include <string>

#include "json/value.h"

namespace chandler::svcat {

std::string claim_class(const json::Value& claim);     // "crossplane-system/fast", or the name alone; "" without one
std::string claim_state(const json::Value& claim);     // "Bound", else the last condition in a word, else the phase
std::string claim_resource(const json::Value& claim);  // "ServiceInstance demo/x"; "" without one
std::string claim_secret(const json::Value& claim);    // the connection secret, once it was filled

}  // namespace chandler::svcat
