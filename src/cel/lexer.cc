#include "cel/lexer.h"

#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "cel/expression.h"

namespace chandler::cel {
namespace {

constexpr std::array<std::string_view, 31> kSymbols = {"==", "!=", "<=", ">=", "&&", "||", "(", ")", "[", "]", "{",
                                                       "}",  ".",  ",",  ":",  "?",  "+",  "-", "*", "/", "%", "!",
                                                       "<",  ">",  "=",  ";",  "&",  "|",  "$", "#", "@"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  return (c | 0x20) - 'a' + 10;
}

}  // namespace

std::string place(std::string_view source, size_t position) {
  const auto before = source.substr(0, position);
  size_t line = 1;
  size_t begin = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i] != '\n') continue;
    ++line;
    begin = i + 1;
  }
  return fmt::format("{}:{}", line, utf8_length(before.substr(begin)) + 1);
}

Error Lexer::fault_at(size_t position, std::string_view message) const {
  return bad_request(fmt::format("{}: {}", place(source_, position), message));
}

void Lexer::skip_blanks() {
  while (at_ < source_.size()) {
    const char c = source_[at_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
      ++at_;
    } else if (c == '/' && peek(1) == '/') {
      while (at_ < source_.size() && source_[at_] != '\n') ++at_;
    } else {
      return;
    }
  }
}

Result<void> Lexer::next() {
  skip_blanks();
  start_ = at_;
  text_.clear();
  if (at_ >= source_.size()) {
    token_ = Token::kEnd;
    return {};
  }
  const char c = peek();
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return read_number();
  if (c == '"' || c == '\'') return read_string(false, false);
  if (is_word_start(c)) {
    // Prefixes of strings: r"", b"", rb"", br"".
    bool raw = false;
    bool bytes = false;
    size_t ahead = 0;
    for (; ahead < 2; ++ahead) {
      const char p = static_cast<char>(peek(ahead) | 0x20);
      if (p == 'r' && !raw) {
        raw = true;
      } else if (p == 'b' && !bytes) {
        bytes = true;
      } else {
        break;
      }
    }
    if (ahead > 0 && (peek(ahead) == '"' || peek(ahead) == '\'')) {
      at_ += ahead;
      return read_string(raw, bytes);
    }
    while (is_word_start(peek()) || is_digit(peek())) text_ += source_[at_++];
    token_ = Token::kIdentifier;
    return {};
  }
  for (const auto symbol : kSymbols) {
    if (!source_.substr(at_).starts_with(symbol)) continue;
    text_ = symbol;
    at_ += symbol.size();
    token_ = Token::kSymbol;
    return {};
  }
  return fault("there is a character here that no expression has");
}

Result<void> Lexer::read_number() {
  token_ = Token::kInt;
  if (peek() == '0' && (peek(1) | 0x20) == 'x' && is_hex(peek(2))) {
    text_ = "0x";
    at_ += 2;
    while (is_hex(peek())) text_ += source_[at_++];
  } else {
    while (is_digit(peek())) text_ += source_[at_++];
    if (peek() == '.' && is_digit(peek(1))) {
      token_ = Token::kDouble;
      do text_ += source_[at_++];
      while (is_digit(peek()));
    }
    const size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if ((peek() | 0x20) == 'e' && is_digit(peek(1 + sign))) {
      token_ = Token::kDouble;
      do text_ += source_[at_++];
      while (is_digit(peek()) || peek() == '+' || peek() == '-');
    }
  }
  if (token_ == Token::kInt && (peek() | 0x20) == 'u') {
    token_ = Token::kUint;
    ++at_;
  }
  if (is_word_start(peek())) return fault("a number is followed by a letter");
  return {};
}

Result<void> Lexer::read_string(bool raw, bool bytes) {
  token_ = bytes ? Token::kBytes : Token::kString;
  const char quote = peek();
  const bool triple = peek(1) == quote && peek(2) == quote;
  const std::string end(triple ? 3 : 1, quote);
  at_ += end.size();
  while (true) {
    if (at_ >= source_.size()) return fault("the text that begins here has no end");
    if (source_.substr(at_).starts_with(end)) break;
    const char c = source_[at_];
    if (!triple && (c == '\n' || c == '\r')) return fault("the text that begins here does not end on its line");
    if (c == '\\' && !raw) {
      CH_TRY(read_escape(bytes));
    } else {
      text_ += c;
      ++at_;
    }
  }
  at_ += end.size();
  if (!bytes && !is_valid_utf8(text_)) return fault("the text is not valid UTF-8");
  return {};
}

Result<uint32_t> Lexer::read_code(size_t digits, int base) {
  uint32_t code = 0;
  for (size_t i = 0; i < digits; ++i) {
    if (!is_hex(peek()) || digit_value(peek()) >= base) return fault_at(at_, "the escape wants more digits");
    code = code * static_cast<uint32_t>(base) + static_cast<uint32_t>(digit_value(source_[at_++]));
  }
  return code;
}

void Lexer::append_code_point(uint32_t code) {
  if (code < 0x80) {
    text_ += static_cast<char>(code);
  } else if (code < 0x800) {
    text_ += static_cast<char>(0xc0 | (code >> 6));
    text_ += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    text_ += static_cast<char>(0xe0 | (code >> 12));
    text_ += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    text_ += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    text_ += static_cast<char>(0xf0 | (code >> 18));
    text_ += static_cast<char>(0x80 | ((code >> 12) & 0x3f));
    text_ += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    text_ += static_cast<char>(0x80 | (code & 0x3f));
  }
}

Result<void> Lexer::read_escape(bool bytes) {
  constexpr std::string_view kLetters = "abfnrtv\\'\"`?";
  constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"`?";
  const size_t begin = at_++;
  const char c = peek();
  if (const size_t i = kLetters.find(c); c != '\0' && i != std::string_view::npos) {
    text_ += kMeanings[i];
    ++at_;
    return {};
  }
  const bool octal = c >= '0' && c <= '3';
  if (octal || c == 'x' || c == 'X') {
    if (!octal) ++at_;
    CH_TRY_LET(code, octal ? read_code(3, 8) : read_code(2, 16));
    if (bytes) {
      text_ += static_cast<char>(code);
    } else {
      append_code_point(code);
    }
    return {};
  }
  if ((c == 'u' || c == 'U') && !bytes) {
    ++at_;
    CH_TRY_LET(code, read_code(c == 'u' ? 4 : 8, 16));
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return fault_at(begin, "the escape names no character");
    append_code_point(code);
    return {};
  }
  return fault_at(begin, "this escape is unknown");
}

}  // namespace chandler::cel
