// Splits the source of an expression into tokens. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace chandler::cel {

enum class Token : uint8_t { kEnd, kIdentifier, kInt, kUint, kDouble, kString, kBytes, kSymbol };

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  // Reads the next token; an Error names the place.
  Result<void> next();

  Token token() const { return token_; }
  size_t position() const { return start_; }
  // Identifier, digits of a number, or symbol: as written. String and bytes: unescaped.
  const std::string& text() const { return text_; }
  bool is(std::string_view symbol) const { return token_ == Token::kSymbol && text_ == symbol; }
  bool is_word(std::string_view word) const { return token_ == Token::kIdentifier && text_ == word; }

  Error fault(std::string_view message) const { return fault_at(start_, message); }
  Error fault_at(size_t position, std::string_view message) const;

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
  void skip_blanks();
  Result<void> read_number();
  Result<void> read_string(bool raw, bool bytes);
  Result<void> read_escape(bool bytes);
  Result<uint32_t> read_code(size_t digits, int base);
  void append_code_point(uint32_t code);

  std::string_view source_;
  size_t at_ = 0;
  size_t start_ = 0;
  Token token_ = Token::kEnd;
  std::string text_;
};

}  // namespace chandler::cel
