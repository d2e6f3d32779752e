#include "osb/mask.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace chandler::osb {
namespace {

using Place = AnyText::Place;
using Wanted = AnyText::Wanted;

constexpr size_t kShortestLine = 8;    // of a value with several
constexpr size_t kShortestBase64 = 6;  // characters
constexpr int kTimesEncoded = 2;

bool is_everyday(std::string_view value) {
  return value.size() < Mask::kShortest || value == "true" || value == "false" || value == "null";
}

// Both alphabets.
void want_base64(std::vector<Wanted>& out, std::string text) {
  if (text.size() < kShortestBase64) return;
  std::string url = text;
  std::replace(url.begin(), url.end(), '+', '-');
  std::replace(url.begin(), url.end(), '/', '_');
  if (url != text) out.push_back({std::move(url), false});
  out.push_back({std::move(text), false});
}

// What base64 makes of the value wherever it begins in what is encoded: six bits are a character, so up to two
// characters at each end also depend on what is around it and are left out.
void want_inside_base64(std::vector<Wanted>& out, std::string_view value) {
  for (size_t before = 0; before < 3; ++before) {
    const auto encoded = base64_encode(std::string(before, '\0').append(value));
    const size_t first = (before * 8 + 5) / 6;
    const size_t last = (before + value.size()) * 8 / 6;
    if (last > first) want_base64(out, encoded.substr(first, last - first));
  }
  auto whole = base64_encode(value);
  whole.resize(whole.find_last_not_of('=') + 1);
  want_base64(out, std::move(whole));
}

void want(std::vector<Wanted>& out, std::string_view value) {
  if (is_everyday(value)) return;
  out.push_back({std::string(value), value.size() < Mask::kAnywhere});
  want_inside_base64(out, value);
}

AnyText spellings_of(const std::vector<std::string>& values) {
  std::vector<Wanted> out;
  for (const auto& value : values) {
    want(out, value);
    if (const auto trimmed = trim(value); trimmed.size() != value.size()) want(out, trimmed);
    if (value.find('\n') == std::string::npos) continue;
    for (const auto line : split(value, '\n')) {
      if (const auto bare = trim(line); bare.size() >= kShortestLine) want(out, bare);
    }
  }
  return AnyText(std::move(out));
}

// A text with one level of escapes undone, and where each of its bytes stands in the text that it came from.
struct Decoded {
  std::string text;
  std::vector<size_t> from{0};  // one more than the text is long: where the next byte begins

  void add(std::string_view bytes, size_t end) {
    for (size_t i = 0; i < bytes.size(); ++i) from.push_back(i + 1 < bytes.size() ? from.back() : end);
    text += bytes;
  }
};

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<uint32_t> hex_number(std::string_view text, size_t at, size_t digits) {
  if (text.size() - std::min(at, text.size()) < digits) return std::nullopt;
  uint32_t number = 0;
  for (size_t i = at; i < at + digits; ++i) {
    const int digit = hex_digit(text[i]);
    if (digit < 0) return std::nullopt;
    number = number << 4U | static_cast<uint32_t>(digit);
  }
  return number;
}

std::string utf8_of(uint32_t code) {
  const auto byte = [](uint32_t bits) { return static_cast<char>(bits); };
  const auto tail = [](uint32_t bits) { return static_cast<char>(0x80U | (bits & 0x3FU)); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xC0U | code >> 6U), tail(code)};
  if (code < 0x10000) return {byte(0xE0U | code >> 12U), tail(code >> 6U), tail(code)};
  return {byte(0xF0U | code >> 18U), tail(code >> 12U), tail(code >> 6U), tail(code)};
}

Decoded without_json_escapes(std::string_view text) {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
  Decoded out;
  for (size_t i = 0; i < text.size();) {
    const char next = text[i] == '\\' && i + 1 < text.size() ? text[i + 1] : '\0';
    if (const size_t which = kLetters.find(next); next != '\0' && which != std::string_view::npos) {
      out.add(kMeant.substr(which, 1), i += 2);
      continue;
    }
    auto code = next == 'u' ? hex_number(text, i + 2, 4) : std::nullopt;
    if (!code) {
      ++i;
      out.add(text.substr(i - 1, 1), i);
      continue;
    }
    i += 6;
    if (*code >= 0xD800 && *code < 0xDC00 && text.substr(i).starts_with("\\u")) {
      if (const auto low = hex_number(text, i + 2, 4); low && *low >= 0xDC00 && *low < 0xE000) {
        code = 0x10000 + ((*code - 0xD800) << 10U) + (*low - 0xDC00);
        i += 6;
      }
    }
    out.add(utf8_of(*code), i);
  }
  return out;
}

Decoded without_percent(std::string_view text) {
  Decoded out;
  for (size_t i = 0; i < text.size();) {
    const auto code = text[i] == '%' ? hex_number(text, i + 1, 2) : std::nullopt;
    const char byte = code ? static_cast<char>(*code) : text[i];
    out.add({&byte, 1}, i += code ? 3 : 1);
  }
  return out;
}

// Adds what is found when the escapes are undone, once and twice.
template <typename Decode>
void add_decoded(const AnyText& spellings, std::string_view text, char sign, Decode decode, std::vector<Place>& out) {
  std::string coded(text);
  std::vector<size_t> from;  // empty: each byte stands where it stands
  for (int i = 0; i < kTimesEncoded && coded.find(sign) != std::string::npos; ++i) {
    Decoded next = decode(coded);
    for (size_t& at : next.from) at = from.empty() ? at : from[at];
    for (const auto& place : spellings.places(next.text)) {
      out.push_back({next.from[place.begin], next.from[place.end]});
    }
    coded = std::move(next.text);
    from = std::move(next.from);
  }
}

}  // namespace

Mask::Mask(const std::vector<std::string>& values) : spellings_(spellings_of(values)) {}

std::vector<Place> Mask::places(std::string_view text) const {
  auto found = spellings_.places(text);
  add_decoded(spellings_, text, '\\', without_json_escapes, found);
  add_decoded(spellings_, text, '%', without_percent, found);
  std::sort(found.begin(), found.end(), [](const Place& a, const Place& b) { return a.begin < b.begin; });
  std::vector<Place> out;
  for (const auto& place : found) {
    if (out.empty() || place.begin > out.back().end) {
      out.push_back(place);
    } else {
      out.back().end = std::max(out.back().end, place.end);
    }
  }
  return out;
}

std::string Mask::apply(std::string_view text) const {
  std::string out;
  size_t done = 0;
  for (const auto& place : places(text)) {
    out.append(text.substr(done, place.begin - done)).append(kHidden);
    done = place.end;
  }
  return out.append(text.substr(done));
}

}  // namespace chandler::osb
