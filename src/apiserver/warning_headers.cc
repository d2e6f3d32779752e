#include "apiserver/warning_headers.h"

#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"

namespace chandler::apiserver {
namespace {

constexpr size_t kMostCharacters = 4096;
constexpr size_t kMostOfOne = 256;  // when all together are more
constexpr size_t kMostHeaders = 80;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

std::string_view first_characters(std::string_view text, size_t count) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (begins_character(text[i]) && count-- == 0) return text.substr(0, i);
  }
  return text;
}

std::string header_of(std::string_view text) {
  std::string out = "299 - \"";
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    if (c == '"' || c == '\\') out += '\\';
    out += control ? ' ' : c;
  }
  return out + '"';
}

// In their order; of no use to count beyond the bound.
bool exceed(const std::vector<std::string_view>& texts, size_t most) {
  size_t total = 0;
  for (const auto text : texts) {
    total += utf8_length(text);
    if (total > most) return true;
  }
  return false;
}

}  // namespace

void add_warnings(http::Headers& headers, const Warnings& warnings) {
  if (warnings.empty()) return;
  std::vector<std::string_view> texts;
  std::set<std::string_view> known;
  for (const std::string_view text : warnings) {
    if (!text.empty() && known.insert(text).second) texts.push_back(text);
  }
  const bool cut = exceed(texts, kMostCharacters);
  size_t added = 0;
  size_t written = 0;
  for (; added < texts.size() && written < kMostCharacters; ++added) {
    if (added + 1 == kMostHeaders && texts.size() > kMostHeaders) break;
    const auto text = cut ? first_characters(texts[added], kMostOfOne) : texts[added];
    written += utf8_length(text);
    headers.add("Warning", header_of(text));
  }
  if (added < texts.size())
    headers.add("Warning", header_of(fmt::format("and {} more warnings", texts.size() - added)));
}

}  // namespace chandler::apiserver
