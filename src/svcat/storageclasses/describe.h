// What the commands about storage share: reading a StorageClass for people.
#pragma once

#include <string>
#include <vector>

#include "json/value.h"

namespace chandler::svcat {

// "type=gp2,zones=us-east-1a, us-east-1b", sorted; "<none>" without parameters.
std::string parameters_text(const json::Value& storage_class);

// The name of the class that claims without one get; "" when there is none.
std::string default_storage_class(const std::vector<json::Value>& storage_classes);

}  // namespace chandler::svcat
