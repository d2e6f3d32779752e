// A binding as `bind` asks for it.
#pragma once

#include <string>

#include "svcat/call.h"

namespace chandler::svcat {

struct BindingRequest {
  std::string ns;
  json::Value object;    // as it is created
  json::Value instance;  // that is bound
};

Result<BindingRequest> binding_request(Call& call);

// --dry-run: what would be asked of which broker, with the source of each value.
Result<int> show_binding_request(Call& call, const BindingRequest& request);

}  // namespace chandler::svcat
