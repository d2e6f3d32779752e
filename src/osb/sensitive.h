// Values that a broker knows and its texts must not repeat: what it was sent from secrets, its own login, credentials
// that it gave out. Collected with a call, and gone with its answer. Plain values.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace chandler::osb {

struct Sensitive {
  std::vector<std::string> values;
  // Why there may be more of them than stand here; empty: these are all. What may repeat a value that nobody can name
  // is not shown at all.
  std::string missing;

  void add(std::string_view value);
  void add_text(std::string_view text);  // and what it holds, if it is JSON
  // Every text and number in it, as add_text().
  void add_all(const json::Value& value);
  // What stands in an Authorization header.
  void add_authorization(std::string_view header);
  void miss(std::string_view why);  // the first reason stays
};

using SharedSensitive = std::shared_ptr<const Sensitive>;

}  // namespace chandler::osb
