// What is said about an instance; also shown by provision.
#pragma once

#include "svcat/call.h"
#include "svcat/output/details.h"

namespace chandler::svcat {

void describe_instance_to(Call& call, Details& details, const json::Value& instance, const std::string& class_name,
                          const std::string& plan_name);

// Sections of instances and bindings alike.
void add_parameters(Details& details, const json::Value& object);

}  // namespace chandler::svcat
