// An instance as `provision` asks for it: the object, and the class and plan that were looked up on the way.
#pragma once

#include <string>

#include "svcat/call.h"

namespace chandler::svcat {

struct InstanceRequest {
  std::string ns;
  json::Value object;         // as it is created
  json::Value service_class;  // null: only a type was given
  json::Value plan;           // null: not named
};

Result<InstanceRequest> instance_request(Call& call);

// --dry-run: what would be asked of which broker, with the source of each value.
Result<int> show_instance_request(Call& call, const InstanceRequest& request);

}  // namespace chandler::svcat
