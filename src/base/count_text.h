// Numbers of things in messages: "1 Secret", "2 Secrets". Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace chandler {

// For nouns whose plural ends in s.
inline std::string counted(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace chandler
