#include "client/warning.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace chandler::client {
namespace {

constexpr std::string_view kCode = "299";
constexpr size_t kMaxWarnings = 100;

void skip_blanks(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

// Up to the next blank.
std::string_view take_word(std::string_view& text) {
  skip_blanks(text);
  const auto end = std::min(text.find_first_of(" \t"), text.size());
  const auto word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

// A quoted string, without its quotes and backslashes; false: there is none.
bool take_quoted(std::string_view& text, std::string& out) {
  skip_blanks(text);
  if (text.empty() || text.front() != '"') return false;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return true;
    }
    if (text[i] == '\\' && ++i == text.size()) return false;
    out += text[i];
  }
  return false;
}

// The values of one header field: code agent "text" ["date"], separated by commas.
void read(std::string_view value, std::vector<std::string>& out) {
  while (out.size() < kMaxWarnings) {
    const auto code = take_word(value);
    (void)take_word(value);  // the agent
    std::string text, date;
    if (!take_quoted(value, text)) return;
    if (code == kCode && !text.empty()) out.push_back(std::move(text));
    (void)take_quoted(value, date);
    skip_blanks(value);
    if (value.empty() || value.front() != ',') return;
    value.remove_prefix(1);
  }
}

}  // namespace

std::vector<std::string> warnings_of(const http::Headers& headers) {
  std::vector<std::string> texts;
  for (const auto value : headers.all("Warning")) read(value, texts);
  return texts;
}

}  // namespace chandler::client
