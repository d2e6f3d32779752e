// A regular expression that RE2 matches slowly: it must count, for each character of the text, how many came since. It
// compiles to 10,000 instructions, most of which are active at once in texts that coin_tosses makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace chandler::testing {

inline constexpr std::string_view kSlowPattern =
    "[ab]*a([ab]{1000})([ab]{1000})([ab]{1000})([ab]{1000})([ab]{1000})([ab]{1000})([ab]{1000})([ab]{1000})([ab]{1000})"
    "([ab]{1000})c";

// The letters a and b in no order.
inline std::string coin_tosses(size_t size) {
  std::string text;
  uint32_t state = 1;
  for (size_t i = 0; i < size; ++i) {
    state = state * 1103515245 + 12345;
    text += (state >> 16 & 1) != 0 ? 'a' : 'b';
  }
  return text;
}

}  // namespace chandler::testing
