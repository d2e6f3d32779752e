#include "cel/property_name.h"

#include <algorithm>
#include <array>
#include <utility>

namespace chandler::cel {
namespace {

// The first ones have a meaning today.
constexpr size_t kKeywords = 4;
constexpr std::array<std::string_view, 21> kReserved = {
    "true", "false",  "null", "in",   "as",      "break",     "const",  "continue", "else", "for",  "function",
    "if",   "import", "let",  "loop", "package", "namespace", "return", "var",      "void", "while"};

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kEscapes = {
    {{"__", "__underscores__"}, {".", "__dot__"}, {"-", "__dash__"}, {"/", "__slash__"}}};

bool is_keyword(std::string_view word) {
  const auto end = kReserved.begin() + kKeywords;
  return std::find(kReserved.begin(), end, word) != end;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool may_be_named(std::string_view name) {
  const auto part = [](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '/'; };
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') && std::all_of(name.begin(), name.end(), part);
}

}  // namespace

bool is_reserved_word(std::string_view word) {
  return std::find(kReserved.begin(), kReserved.end(), word) != kReserved.end();
}

std::optional<std::string> escape_property(std::string_view name) {
  if (!may_be_named(name)) return std::nullopt;
  if (is_reserved_word(name)) return "__" + std::string(name) + "__";
  std::string out;
  for (size_t i = 0; i < name.size();) {
    const auto rest = name.substr(i);
    const auto escape =
        std::find_if(kEscapes.begin(), kEscapes.end(), [&](const auto& pair) { return rest.starts_with(pair.first); });
    if (escape == kEscapes.end()) {
      out += name[i++];
    } else {
      out += escape->second;
      i += escape->first.size();
    }
  }
  return out;
}

std::optional<std::string> unescape_property(std::string_view identifier) {
  if (identifier.find("__") == std::string_view::npos) {
    // Words that only might become part of the language one day cannot be mistaken after a dot.
    if (is_keyword(identifier)) return std::nullopt;
    return std::string(identifier);
  }
  if (identifier.size() > 4 && identifier.starts_with("__") && identifier.ends_with("__") &&
      is_reserved_word(identifier.substr(2, identifier.size() - 4))) {
    return std::string(identifier.substr(2, identifier.size() - 4));
  }
  std::string out;
  for (size_t i = 0; i < identifier.size();) {
    const auto rest = identifier.substr(i);
    const auto escape =
        std::find_if(kEscapes.begin(), kEscapes.end(), [&](const auto& pair) { return rest.starts_with(pair.second); });
    if (escape == kEscapes.end()) {
      out += identifier[i++];
    } else {
      out += escape->first;
      i += escape->second.size();
    }
  }
  // An identifier that no property is escaped to, such as a__b, names nothing.
  if (escape_property(out) != std::string(identifier)) return std::nullopt;
  return out;
}

}  // namespace chandler::cel
