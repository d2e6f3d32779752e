#include "json/yaml_scalar.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

namespace chandler::json {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_sign(char c) { return c == '-' || c == '+'; }

template <size_t N>
bool one_of(std::string_view text, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), text) != std::end(words);
}

std::optional<YamlScalar> resolve_word(std::string_view text) {
  static constexpr std::string_view kNull[] = {"", "~", "null", "Null", "NULL"};
  static constexpr std::string_view kTrue[] = {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"};
  static constexpr std::string_view kFalse[] = {"n",     "N",     "no",  "No",  "NO", "false",
                                                "False", "FALSE", "off", "Off", "OFF"};
  static constexpr std::string_view kInfinity[] = {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"};
  static constexpr std::string_view kMinusInfinity[] = {"-.inf", "-.Inf", "-.INF"};
  static constexpr std::string_view kNan[] = {".nan", ".NaN", ".NAN"};
  if (one_of(text, kNull)) return YamlNull{};
  if (one_of(text, kTrue)) return true;
  if (one_of(text, kFalse)) return false;
  if (one_of(text, kInfinity)) return std::numeric_limits<double>::infinity();
  if (one_of(text, kMinusInfinity)) return -std::numeric_limits<double>::infinity();
  if (one_of(text, kNan)) return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

// Decimal, 0x, 0o or 0b, and a leading 0 means octal.
std::optional<YamlScalar> resolve_integer(std::string_view text) {
  const bool negative = text[0] == '-';
  if (is_sign(text[0])) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char letter = static_cast<char>(text[1] | 0x20);
    base = letter == 'x' ? 16 : letter == 'b' ? 2 : 8;
    text.remove_prefix(letter == 'x' || letter == 'b' || letter == 'o' ? 2 : 1);
  }
  uint64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  constexpr auto kMax = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (negative) return number <= kMax + 1 ? std::optional<YamlScalar>(static_cast<int64_t>(0 - number)) : std::nullopt;
  if (number <= kMax) return static_cast<int64_t>(number);
  return number;
}

// digits with an optional point among them and an optional exponent
bool looks_like_float(std::string_view text) {
  size_t at = 0;
  const auto digits = [&] {
    const size_t from = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at - from;
  };
  size_t mantissa = digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    const size_t fraction = digits();
    mantissa += fraction;
  }
  if (mantissa == 0) return false;
  if (at < text.size() && (text[at] | 0x20) == 'e') {
    ++at;
    if (at < text.size() && is_sign(text[at])) ++at;
    if (digits() == 0) return false;
  }
  return at == text.size();
}

std::optional<YamlScalar> resolve_float(std::string_view text) {
  const bool negative = text[0] == '-';
  if (is_sign(text[0])) text.remove_prefix(1);
  if (!looks_like_float(text)) return std::nullopt;
  double number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) return std::nullopt;
  if (negative) number = -number;
  // On its way through JSON a whole number becomes an integer again.
  constexpr double kExact = 0x1p53;
  if (std::abs(number) <= kExact && std::trunc(number) == number) return static_cast<int64_t>(number);
  return number;
}

bool is_date(std::string_view text) {
  size_t at = 0;
  const auto digits = [&](size_t least, size_t most) {
    size_t count = 0;
    for (; at < text.size() && is_digit(text[at]) && count < most; ++at) ++count;
    return count >= least;
  };
  const auto dash = [&] { return at < text.size() && text[at++] == '-'; };
  if (!(digits(4, 4) && dash() && digits(1, 2) && dash() && digits(1, 2))) return false;
  return at == text.size() || text[at] == 'T' || text[at] == 't' || text[at] == ' ';
}

bool is_base_60(std::string_view text) {
  if (!text.empty() && is_sign(text[0])) text.remove_prefix(1);
  return text.find(':') != text.npos && is_digit(text[0]) && text.find_first_not_of("0123456789_:.") == text.npos;
}

}  // namespace

YamlScalar resolve_yaml_scalar(std::string_view plain) {
  if (auto word = resolve_word(plain)) return *word;
  if (!is_digit(plain[0]) && !is_sign(plain[0]) && plain[0] != '.') return YamlText{};
  std::string number(plain);
  if (plain[0] != '.') std::erase(number, '_');
  if (number.size() == 1 && !is_digit(number[0])) return YamlText{};
  if (auto integer = resolve_integer(number)) return *integer;
  if (auto real = resolve_float(number)) return *real;
  return YamlText{};
}

bool needs_yaml_quotes(std::string_view text) {
  return !std::holds_alternative<YamlText>(resolve_yaml_scalar(text)) || is_date(text) || is_base_60(text);
}

}  // namespace chandler::json
