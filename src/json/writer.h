// Writing JSON. Canonical form: object members sorted by key (bytes), no white space, numbers as Go prints them, so
// that equal documents are equal bytes. `<`, `>`, `&` are written as they are.
#pragma once

#include <string>
#include <string_view>

#include "json/value.h"

namespace chandler::json {

std::string write(const Value& value);                // canonical
void write_to(std::string& out, const Value& value);  // canonical, appended
// The same, with the value at `place` (somewhere in it) written as `text`, which is canonical JSON already.
void write_to(std::string& out, const Value& value, const Value& place, std::string_view text);
std::string write_pretty(const Value& value);  // canonical order, two blanks, as `kubectl get -o json` shows
void write_string(std::string& out, std::string_view text);  // a JSON string with quotes

}  // namespace chandler::json
