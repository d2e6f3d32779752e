#include "json/writer.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "json/sorted_members.h"

namespace chandler::json {
namespace {

template <typename Integer>
void write_integer(std::string& out, Integer number) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  out.append(buffer, end);
}

// Shortest digits that read back as the same number; plain up to 21 digits, with an exponent outside. Minus zero
// becomes zero: the two are equal, so they must be the same bytes. Infinities and NaN, which no reader gives, are null.
void write_double(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  if (number == 0) {
    out += '0';
    return;
  }
  if (number < 0) out += '-';
  char buffer[32];  // d.ddde-xxx
  const char* end = std::to_chars(buffer, buffer + sizeof buffer, std::abs(number), std::chars_format::scientific).ptr;
  const char* e = std::find(static_cast<const char*>(buffer), end, 'e');
  int exponent = 0;
  std::from_chars(e[1] == '+' ? e + 2 : e + 1, end, exponent);

  std::string digits(1, buffer[0]);  // within the small-string size
  if (e > buffer + 2) digits.append(static_cast<const char*>(buffer) + 2, e);
  if (exponent < -6 || exponent >= 21) {
    out += digits[0];
    if (digits.size() > 1) out.append(1, '.').append(digits, 1);
    out += exponent < 0 ? "e" : "e+";
    write_integer(out, exponent);
  } else if (exponent < 0) {
    out.append("0.").append(static_cast<size_t>(-exponent - 1), '0').append(digits);
  } else {
    const size_t whole = static_cast<size_t>(exponent) + 1;
    if (digits.size() <= whole) {
      out.append(digits).append(whole - digits.size(), '0');
    } else {
      out.append(digits, 0, whole).append(1, '.').append(digits, whole);
    }
  }
}

void write_scalar(std::string& out, const Value& value) {
  switch (value.kind()) {
    case boost::json::kind::string:
      return write_string(out, view(value.get_string()));
    case boost::json::kind::int64:
      return write_integer(out, value.get_int64());
    case boost::json::kind::uint64:
      return write_integer(out, value.get_uint64());
    case boost::json::kind::double_:
      return write_double(out, value.get_double());
    case boost::json::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      return;
    default:
      out += "null";
  }
}

void write_indented(std::string& out, const Value& value, size_t indent) {
  const auto new_line = [&out](size_t width) { out.append(1, '\n').append(width, ' '); };
  if (const Object* object = value.if_object(); object != nullptr && !object->empty()) {
    char separator = '{';
    for_each_sorted(*object, [&](const Member& member) {
      out += separator;
      separator = ',';
      new_line(indent + 2);
      write_string(out, key_of(member));
      out += ": ";
      write_indented(out, member.value(), indent + 2);
    });
    new_line(indent);
    out += '}';
  } else if (const Array* array = value.if_array(); array != nullptr && !array->empty()) {
    char separator = '[';
    for (const Value& element : *array) {
      out += separator;
      separator = ',';
      new_line(indent + 2);
      write_indented(out, element, indent + 2);
    }
    new_line(indent);
    out += ']';
  } else {
    write_to(out, value);
  }
}

constexpr uint64_t every_byte(unsigned char c) { return 0x0101010101010101ULL * c; }

// Marks (high bit) the zero bytes of a word. Bytes above a zero may be marked too: good enough to find the first.
constexpr uint64_t zero_bytes(uint64_t word) { return (word - every_byte(1)) & ~word & every_byte(0x80); }

constexpr bool is_special(unsigned char c) {
  return c < 0x20 || c == '"' || c == '\\' || c == 0xE2;  // E2 may begin U+2028 or U+2029
}

// Where the first special character at or after `from` is; many characters at a time, as nearly all are plain.
size_t find_special(std::string_view text, size_t from) {
#if defined(__SSE2__)
  for (; from + 16 <= text.size(); from += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + from));
    const auto is = [&](unsigned char c) { return _mm_cmpeq_epi8(block, _mm_set1_epi8(static_cast<char>(c))); };
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1F)), block);
    const __m128i special = _mm_or_si128(_mm_or_si128(control, is('"')), _mm_or_si128(is('\\'), is(0xE2)));
    const auto found = static_cast<unsigned>(_mm_movemask_epi8(special));
    if (found != 0) return from + static_cast<size_t>(std::countr_zero(found));
  }
#endif
  for (; from + 8 <= text.size(); from += 8) {
    uint64_t word = 0;
    std::memcpy(&word, text.data() + from, 8);
    const uint64_t control = (word - every_byte(0x20)) & ~word & every_byte(0x80);
    if ((control | zero_bytes(word ^ every_byte('"')) | zero_bytes(word ^ every_byte('\\')) |
         zero_bytes(word ^ every_byte(0xE2))) != 0) {
      break;
    }
  }
  while (from < text.size() && !is_special(static_cast<unsigned char>(text[from]))) ++from;
  return from;
}

void write_escape(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default: {
      constexpr char kHex[] = "0123456789abcdef";
      out += "\\u00";
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[c & 0xF];
    }
  }
}

}  // namespace

void write_string(std::string& out, std::string_view text) {
  out += '"';
  size_t plain = 0;  // all before is written
  for (size_t i = find_special(text, 0); i < text.size(); i = find_special(text, i)) {
    size_t length = 1;
    const std::string_view code_point = text.substr(i, 3);
    if (code_point[0] != '\xE2') {
      out.append(text, plain, i - plain);
      write_escape(out, text[i]);
      plain = i + 1;
    } else if (code_point == "\xE2\x80\xA8" || code_point == "\xE2\x80\xA9") {  // line ends in old JavaScript
      out.append(text, plain, i - plain);
      out += code_point[2] == '\xA8' ? "\\u2028" : "\\u2029";
      length = 3;
      plain = i + 3;
    }
    i += length;
  }
  out.append(text, plain);
  out += '"';
}

namespace {

// `place` null: nothing is written otherwise than it is.
void write_value(std::string& out, const Value& value, const Value* place, std::string_view text) {
  if (&value == place) {
    out += text;
  } else if (const Object* object = value.if_object()) {
    out += '{';
    bool first = true;
    for_each_sorted(*object, [&](const Member& member) {
      if (!first) out += ',';
      first = false;
      write_string(out, key_of(member));
      out += ':';
      write_value(out, member.value(), place, text);
    });
    out += '}';
  } else if (const Array* array = value.if_array()) {
    out += '[';
    bool first = true;
    for (const Value& element : *array) {
      if (!first) out += ',';
      first = false;
      write_value(out, element, place, text);
    }
    out += ']';
  } else {
    write_scalar(out, value);
  }
}

}  // namespace

void write_to(std::string& out, const Value& value) { write_value(out, value, nullptr, {}); }

void write_to(std::string& out, const Value& value, const Value& place, std::string_view text) {
  write_value(out, value, &place, text);
}

std::string write(const Value& value) {
  std::string out;
  out.reserve(512);
  write_to(out, value);
  return out;
}

std::string write_pretty(const Value& value) {
  std::string out;
  write_indented(out, value, 0);
  return out;
}

}  // namespace chandler::json
