// Bounds for parameters and for what else is free JSON from outside: nothing here or below recurses or grows without
// end. Pure, thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"

namespace chandler::resolve {

struct ParameterBounds {
  size_t max_depth = 32;  // objects and lists inside each other, the outermost included
  size_t max_values = 100'000;
  size_t max_bytes = 1024 * 1024;  // of keys and texts
  // Of the JSON pointers of all leaves, which the record of sources holds: each repeats the keys above it. A list is
  // one leaf.
  size_t max_pointer_bytes = 1024 * 1024;
};

// An error that names `what` ("the parameters of the Plan") and the JSON pointer where a bound is crossed, never a
// value.
Result<void> check_bounds(const json::Value& value, std::string_view what, const ParameterBounds& bounds = {});

// One step of a JSON pointer: "/" and the key with ~ and / escaped.
void append_pointer(std::string& pointer, std::string_view key);

// A key or pointer as it may stand in a message: quoted, and cut when it is very long.
std::string shown_key(std::string_view text);

}  // namespace chandler::resolve
