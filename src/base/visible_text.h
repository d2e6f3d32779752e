// Text from outside, fit to be shown: on a terminal, in a log, in a table. Pure.
#pragma once

#include <string>
#include <string_view>

namespace chandler {

enum class Lines { kJoin, kKeep };

// Without what steers a terminal or reorders a line instead of being shown: control characters (C0, DEL, C1), bidi
// controls (U+061C, U+200E, U+200F, U+202A..U+202E, U+2066..U+2069) and the separators U+2028 and U+2029. Each becomes
// a blank, so that nothing grows together that was apart; ill-formed UTF-8 becomes U+FFFD. With Lines::kKeep line feeds
// and tabs stay.
std::string visible_text(std::string_view text, Lines lines = Lines::kJoin);

// Whether visible_text() would leave it as it is.
bool is_visible(std::string_view text, Lines lines = Lines::kJoin);

}  // namespace chandler
