// Names of kinds that are known only at run time: what the API serves, as asked of it, and names that last.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/object.h"

namespace chandler::client {

// A name whose text lives as long as the program. For kinds that somebody's configuration names: each is kept once, so
// what this holds grows with the number of different kinds, not with time. Thread-safe.
KindName intern_kind(std::string_view group, std::string_view plural);

// A kind as the API serves it.
struct ServedKind {
  KindName name;        // interned
  std::string version;  // the one that was asked for, else the preferred one
  std::string kind;
  std::string singular;
  std::vector<std::string> short_names;
  bool namespaced = true;
  bool has_status = false;
  bool exact_version = true;  // false: another version was asked for, but is not served

  std::string api_version() const;
};

}  // namespace chandler::client
