// Property names as expressions spell them: a name that is no identifier, or is a word of the language, is escaped, so
// that self.x__dash__y means the property "x-y". Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace chandler::cel {

// nullopt: the property cannot be named in an expression.
std::optional<std::string> escape_property(std::string_view name);
// The property that an identifier stands for; nullopt when no property is spelled that way. A reserved word that has no
// meaning yet need not be escaped.
std::optional<std::string> unescape_property(std::string_view identifier);

bool is_reserved_word(std::string_view word);

}  // namespace chandler::cel
