// The parameters that a broker is sent: those in the spec and those from secrets, side by side. Pure, thread-safe.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"

namespace chandler::resolve {

constexpr std::string_view kRedacted = "<redacted>";

struct SecretParameters {
  std::string name;  // for messages: `key "params" of secret "db"`
  json::Value value;
};

// What a key of a secret holds, as parameters. The error names the source and never what it holds.
Result<SecretParameters> read_secret_parameters(std::string name, std::string_view bytes);

struct CombinedParameters {
  json::Value value;     // an object; holds secrets
  json::Value redacted;  // the same with "<redacted>" for every top-level value that came from a secret
  std::set<std::string, std::less<>> secret_keys;
};

// A top-level key that two sources give is an error that names the key and both sources. `inline_parameters` may be
// null. The bounds are those of parameter_bounds.h.
Result<CombinedParameters> combine_parameters(const json::Value* inline_parameters,
                                              std::span<const SecretParameters> secrets);

// The top-level keys that the secrets give: their defaults are not to be merged in.
std::set<std::string, std::less<>> keys_of(std::span<const SecretParameters> secrets);

}  // namespace chandler::resolve
