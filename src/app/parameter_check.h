// How the bundled brokers check parameters: with the same validator that the catalog uses.
#pragma once

#include <string>
#include <vector>

#include "json/value.h"

namespace chandler::app {

// One text per fault, with its path; empty when the parameters fit the schema.
std::vector<std::string> check_parameters(const json::Value& schema, const json::Value& parameters);

}  // namespace chandler::app
