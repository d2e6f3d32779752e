// Rendering a JSONPath template where the result must be complete: for values that are stored, not shown. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"

namespace chandler::json {

// The template (see JsonPathTemplate) over the document. An error when it does not parse, when a path leads nowhere (a
// range may be empty), when it visits too many values, or when the text would grow beyond `max_bytes`. Errors hold
// nothing of the document.
Result<std::string> render_strict(std::string_view text, const Value& document, size_t max_bytes);

}  // namespace chandler::json
