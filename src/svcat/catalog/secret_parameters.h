// What parametersFrom brings, for --dry-run: which keys, never which values.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "svcat/call.h"

namespace chandler::svcat {

struct SecretKeys {
  std::set<std::string, std::less<>> keys;     // top-level parameters that come from secrets
  std::map<std::string, std::string> sources;  // key to "secret login, key params"
  std::vector<std::string> notes;              // secrets that could not be looked into, and why
};

// `object` is an instance or a binding.
Result<SecretKeys> secret_keys(Call& call, const std::string& ns, const json::Value& object);

}  // namespace chandler::svcat
