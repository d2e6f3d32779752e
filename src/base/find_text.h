// Finds a short text in a short text, such as a label in an object. As std::string_view::find(), which stops at every
// place where the first character occurs, and memmem(), which makes a table first: both cost more than looking here.
#pragma once

#include <cstddef>
#include <string_view>

namespace chandler {

// Where `text` occurs first at or behind `from`; npos: nowhere. An empty text is at `from`, if there is such a place.
size_t find_text(std::string_view in, std::string_view text, size_t from = 0);
// Where it occurs last; npos: nowhere. An empty text is at the end.
size_t find_last_text(std::string_view in, std::string_view text);

}  // namespace chandler
