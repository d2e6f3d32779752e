// Texts that the hash of libstdc++ cannot tell apart: std::hash<std::string> has a fixed seed, so a client can prepare
// them, and a hash table that has them as keys becomes a list. For tests that tables keyed by clients are not such.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace chandler::testing {

// `count` different texts. Each collides with the others also when the hashed text has `before` bytes in front of it,
// and anything behind it, such as the quotes of a JSON text.
inline std::vector<std::string> colliding_texts(size_t count, size_t before) {
  // The hash goes over blocks of 8 bytes. These two blocks change its state in ways that differ in the highest bit
  // only, so two of the one leave the same state as two of the other.
  constexpr std::string_view kOne = "Z/|:\xd9\x8e\xca\xa7";
  constexpr std::string_view kOther = "Z/9Tttr6";
  std::vector<std::string> texts;
  texts.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    std::string text((kOne.size() - before % kOne.size()) % kOne.size(), '-');
    for (size_t bit = 1; bit < count; bit *= 2) {
      const std::string_view block = (i & bit) == 0 ? kOne : kOther;
      text.append(block).append(block);
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace chandler::testing
