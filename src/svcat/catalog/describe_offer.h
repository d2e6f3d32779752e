// What describe says about classes and plans alike: where they belong, and their defaults.
#pragma once

#include "json/value.h"
#include "svcat/output/details.h"

namespace chandler::svcat {

// Scope, with broker or namespace.
void add_scope(Details& details, const json::Value& offer);
// Sections: default parameters and the default secret transform.
void add_defaults(Details& details, const json::Value& offer);
// A section with one line for each transform; nothing for none.
void add_transforms(Details& details, std::string_view title, const json::Value* transforms);

}  // namespace chandler::svcat
