// Regular expressions of rules, on RE2: linear in the text, with a bound on memory.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace chandler::cel {

// An Error's message says what is wrong with the pattern.
Result<std::shared_ptr<const re2::RE2>> compile_pattern(std::string_view text);

}  // namespace chandler::cel
