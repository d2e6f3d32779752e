#include "base/visible_text.h"

#include <cstdint>

namespace chandler {
namespace {

struct Character {
  uint32_t code = 0;
  size_t size = 1;
  bool ok = false;
};

// The character at the beginning of a text that is not empty. Ill-formed: one byte.
Character first_of(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return {};
  uint32_t code = lead & (0xFFU >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  const bool is_overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (is_overlong || is_surrogate || code > 0x10FFFF) return {};
  return {code, size, true};
}

bool is_hidden(uint32_t code, Lines lines) {
  if (lines == Lines::kKeep && (code == '\n' || code == '\t')) return false;
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

// How many bytes at the beginning are to be shown as they are.
size_t visible_size(std::string_view text, Lines lines) {
  size_t i = 0;
  while (i < text.size()) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte < 0x7F) {
      ++i;
      continue;
    }
    const Character next = first_of(text.substr(i));
    if (!next.ok || is_hidden(next.code, lines)) break;
    i += next.size;
  }
  return i;
}

}  // namespace

std::string visible_text(std::string_view text, Lines lines) {
  std::string out;
  out.reserve(text.size());
  for (;;) {
    const size_t shown = visible_size(text, lines);
    out.append(text.substr(0, shown));
    text.remove_prefix(shown);
    if (text.empty()) return out;
    const Character next = first_of(text);
    out += next.ok ? " " : "\xEF\xBF\xBD";
    text.remove_prefix(next.size);
  }
}

bool is_visible(std::string_view text, Lines lines) { return visible_size(text, lines) == text.size(); }

}  // namespace chandler
