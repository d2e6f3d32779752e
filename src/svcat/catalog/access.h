// Asking the server who may do what: access reviews, which are answered and never stored.
#pragma once

#include <string>

#include "svcat/catalog/catalog.h"

namespace chandler::svcat {

struct AccessQuestion {
  std::string user;  // empty: whoever asks. A service account as system:serviceaccount:NAMESPACE:NAME
  std::string verb;
  client::Resource resource;
  std::string ns;  // empty: everywhere
  std::string subresource{};
};

// Asking about somebody else takes a right of its own; without it: Forbidden.
Result<bool> is_allowed(Catalog& catalog, const AccessQuestion& question);

}  // namespace chandler::svcat
