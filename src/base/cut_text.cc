#include "base/cut_text.h"

namespace chandler {

std::string_view cut_text(std::string_view text, size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most);
}

std::string shorten(std::string_view text, size_t most) {
  std::string begin(cut_text(text, most));
  if (begin.size() < text.size()) begin += "...";
  return begin;
}

}  // namespace chandler
