// Functions on texts. Positions count characters (code points), as the language does; texts are valid UTF-8.
#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"
#include "cel/evaluator.h"
#include "meta/pattern.h"

namespace chandler::cel {
namespace {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

// The byte at which the n-th character begins, the end included; nullopt beyond.
std::optional<size_t> byte_of(std::string_view text, int64_t n) {
  if (n < 0) return std::nullopt;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!begins_character(text[i])) continue;
    if (n == 0) return i;
    --n;
  }
  return n == 0 ? std::optional(text.size()) : std::nullopt;
}

size_t next_character(std::string_view text, size_t at) {
  ++at;
  while (at < text.size() && !begins_character(text[at])) ++at;
  return at;
}

Fault out_of_range(int64_t index) { return {fmt::format("index out of range: {}", index), false}; }

std::string ascii_case(std::string_view text, char from, char to, int shift) {
  std::string out(text);
  for (char& c : out) {
    if (c >= from && c <= to) c = static_cast<char>(c + shift);
  }
  return out;
}

// Unicode's white space, as Go trims it.
size_t blank_at(std::string_view text) {
  static constexpr std::string_view kBlanks[] = {
      " ",        "\t",           "\n",           "\v",           "\f",           "\r",           "\xc2\x85",
      "\xc2\xa0", "\xe1\x9a\x80", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80"};
  for (const auto blank : kBlanks) {
    if (text.starts_with(blank)) return blank.size();
  }
  // U+2000 to U+200A
  const bool spaces = text.size() >= 3 && text.starts_with("\xe2\x80") && static_cast<unsigned char>(text[2]) >= 0x80 &&
                      static_cast<unsigned char>(text[2]) <= 0x8a;
  return spaces ? 3 : 0;
}

std::string_view trimmed(std::string_view text) {
  while (const size_t blank = blank_at(text)) text.remove_prefix(blank);
  while (!text.empty()) {
    size_t at = text.size() - 1;
    while (at > 0 && !begins_character(text[at])) --at;
    if (blank_at(text.substr(at)) != text.size() - at) break;
    text = text.substr(0, at);
  }
  return text;
}

Outcome split_text(std::string_view text, std::string_view by, int64_t limit, Meter& meter) {
  Value::Items items;
  if (limit == 0) return Value::list({});
  if (limit < 0) limit = kNoLimit;
  const auto add = [&](std::string_view piece) {
    if (!meter.charge(1)) return false;
    items.push_back(Value::string(std::string(piece)));
    return true;
  };
  while (static_cast<int64_t>(items.size()) + 1 < limit) {
    size_t at = 0;
    if (by.empty()) {
      if (text.size() <= 1 || next_character(text, 0) >= text.size()) break;
      at = next_character(text, 0);
    } else {
      at = text.find(by);
      if (at == std::string_view::npos) break;
    }
    if (!add(text.substr(0, at))) return Meter::over();
    text.remove_prefix(at + by.size());
  }
  const bool nothing = by.empty() && text.empty();
  if (!nothing && !add(text)) return Meter::over();
  return Value::list(std::move(items));
}

Outcome replace_text(std::string_view text, std::string_view from, std::string_view to, int64_t limit) {
  std::string out;
  size_t at = 0;
  if (limit < 0) limit = kNoLimit;
  while (limit > 0) {
    if (from.empty()) {
      // Before every character and at the end.
      out += to;
      --limit;
      if (at >= text.size()) break;
      const size_t next = next_character(text, at);
      out += text.substr(at, next - at);
      at = next;
      continue;
    }
    const size_t found = text.find(from, at);
    if (found == std::string_view::npos) break;
    out += text.substr(at, found - at);
    out += to;
    at = found + from.size();
    --limit;
  }
  out += text.substr(std::min(at, text.size()));
  return Value::string(std::move(out));
}

Outcome find_text(const std::vector<Value>& arguments, bool last) {
  const auto text = arguments[0].text();
  const auto wanted = arguments[1].text();
  size_t from = last ? std::string_view::npos : 0;
  if (arguments.size() > 2) {
    if (!arguments[2].is(Kind::kInt)) return no_overload("indexOf");
    const auto start = byte_of(text, arguments[2].as_int());
    if (!start) return out_of_range(arguments[2].as_int());
    from = *start;
  }
  const size_t found = last ? text.rfind(wanted, from) : text.find(wanted, from);
  if (found == std::string_view::npos) return Value::integer(-1);
  return Value::integer(static_cast<int64_t>(utf8_length(text.substr(0, found))));
}

Outcome cut_text(const std::vector<Value>& arguments) {
  const auto text = arguments[0].text();
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (!arguments[i].is(Kind::kInt)) return no_overload("substring");
  }
  const auto begin = byte_of(text, arguments[1].as_int());
  if (!begin) return out_of_range(arguments[1].as_int());
  if (arguments.size() == 2) return Value::string(std::string(text.substr(*begin)));
  const auto end = byte_of(text, arguments[2].as_int());
  if (!end || *end < *begin) return out_of_range(arguments[2].as_int());
  return Value::string(std::string(text.substr(*begin, *end - *begin)));
}

Outcome character_at(const std::vector<Value>& arguments) {
  if (!arguments[1].is(Kind::kInt)) return no_overload("charAt");
  const auto text = arguments[0].text();
  const auto begin = byte_of(text, arguments[1].as_int());
  if (!begin) return out_of_range(arguments[1].as_int());
  if (*begin == text.size()) return Value::string("");
  return Value::string(std::string(text.substr(*begin, next_character(text, *begin) - *begin)));
}

Outcome match(Function function, const std::vector<Value>& arguments, const re2::RE2* pattern, Meter& meter) {
  meta::Pattern made;
  if (pattern == nullptr) {
    if (!meter.charge(pattern_cost(arguments[1].size()))) return Meter::over();
    auto compiled = meta::compile_pattern(arguments[1].text());
    if (!compiled.ok()) return Fault{bad_pattern(arguments[1].text(), compiled.error()), false};
    made = std::move(*compiled);
    pattern = made.get();
    constexpr uint64_t kInstructionsPerUnit = 4;
    if (!meter.charge(static_cast<uint64_t>(pattern->ProgramSize()) / kInstructionsPerUnit)) return Meter::over();
  }
  const auto text = arguments[0].text();
  const re2::StringPiece whole(text.data(), text.size());
  if (!meter.charge(meta::extra_bytes_to_match(*pattern, text.size()))) return Meter::over();
  if (function == Function::kMatches) return Value::boolean(re2::RE2::PartialMatch(whole, *pattern));
  int64_t limit = kNoLimit;
  if (arguments.size() > 2) {
    if (!arguments[2].is(Kind::kInt)) return no_overload("findAll");
    if (arguments[2].as_int() >= 0) limit = arguments[2].as_int();
  }
  Value::Items items;
  size_t at = 0;
  re2::StringPiece found;
  while (static_cast<int64_t>(items.size()) < limit && at <= text.size() &&
         pattern->Match(whole, at, text.size(), re2::RE2::UNANCHORED, &found, 1)) {
    // It may have read all of the rest to find one character: 'a.*b|a' in a text without b. The library does not say.
    if (!meter.charge(1 + found.size() / kBytesPerUnit + (text.size() - at) / kSearchedPerUnit)) return Meter::over();
    items.push_back(Value::string(std::string(found.data(), found.size())));
    if (function == Function::kFind) return items.front();
    const size_t end = static_cast<size_t>(found.data() - text.data()) + found.size();
    at = found.empty() ? (end >= text.size() ? text.size() + 1 : next_character(text, end)) : end;
    if (!meter.charge(meta::extra_bytes_to_match(*pattern, text.size() - std::min(at, text.size())))) {
      return Meter::over();
    }
  }
  if (function == Function::kFind) return Value::string("");
  return Value::list(std::move(items));
}

}  // namespace

Outcome call_text(Function function, const std::vector<Value>& arguments, const re2::RE2* pattern, Meter& meter) {
  const Value& text = arguments[0];
  if (!text.is(Kind::kString)) return no_overload("string");
  if (function == Function::kFormat) return format_text(text.text(), arguments[1], meter);
  // Only the last argument may be a number.
  const bool second_text = function != Function::kSubstring && function != Function::kCharAt;
  if (second_text && arguments.size() > 1 && !arguments[1].is(Kind::kString)) return no_overload("string");
  switch (function) {
    case Function::kContains:
      return Value::boolean(text.text().find(arguments[1].text()) != std::string_view::npos);
    case Function::kStartsWith:
      return Value::boolean(text.text().starts_with(arguments[1].text()));
    case Function::kEndsWith:
      return Value::boolean(text.text().ends_with(arguments[1].text()));
    case Function::kMatches:
    case Function::kFind:
    case Function::kFindAll:
      return match(function, arguments, pattern, meter);
    case Function::kLowerAscii:
      return Value::string(ascii_case(text.text(), 'A', 'Z', 'a' - 'A'));
    case Function::kUpperAscii:
      return Value::string(ascii_case(text.text(), 'a', 'z', 'A' - 'a'));
    case Function::kTrim:
      return Value::string(std::string(trimmed(text.text())));
    case Function::kSplit:
      if (arguments.size() > 2 && !arguments[2].is(Kind::kInt)) return no_overload("split");
      return split_text(text.text(), arguments[1].text(), arguments.size() > 2 ? arguments[2].as_int() : -1, meter);
    case Function::kReplace:
      if (!arguments[2].is(Kind::kString)) return no_overload("replace");
      if (arguments.size() > 3 && !arguments[3].is(Kind::kInt)) return no_overload("replace");
      return replace_text(text.text(), arguments[1].text(), arguments[2].text(),
                          arguments.size() > 3 ? arguments[3].as_int() : -1);
    case Function::kSubstring:
      return cut_text(arguments);
    case Function::kIndexOf:
    case Function::kLastIndexOf:
      return find_text(arguments, function == Function::kLastIndexOf);
    case Function::kCharAt:
      return character_at(arguments);
    default:
      return no_overload("string");
  }
}

}  // namespace chandler::cel
