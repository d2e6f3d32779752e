// Bounding a text without breaking its last character. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace chandler {

// At most so many bytes of it, not ending inside a UTF-8 character.
std::string_view cut_text(std::string_view text, size_t most);

// The same for a message, with "..." behind a text that was cut.
std::string shorten(std::string_view text, size_t most);

}  // namespace chandler
