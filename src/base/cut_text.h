// Bounding a text without breaking its last character. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace chandler {

// At most so many bytes of it, not ending inside a UTF-8 character.
std::string_view cut_text(std::string_view text, size_t most);

}  // namespace chandler
