// Finds all places where any of many texts stands in a text, in time in proportion to both together, however many texts
// there are and however they resemble each other (Aho and Corasick). Immutable once made; thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace chandler {

class AnyText {
 public:
  static constexpr size_t kLongestWord = 7;  // bytes

  struct Wanted {
    std::string text;
    // Counts only where neither a letter nor a digit precedes or follows. Of at most kLongestWord bytes.
    bool as_word = false;
  };
  struct Place {
    size_t begin = 0;
    size_t end = 0;
    bool operator==(const Place&) const = default;
  };

  explicit AnyText(std::vector<Wanted> wanted);  // empty ones are ignored

  // What is covered by any of them, in order; places that overlap or touch are one.
  std::vector<Place> places(std::string_view in) const;

 private:
  struct Node {
    uint32_t first_child = 0;  // the others follow it, in order of their bytes
    uint32_t fallback = 0;     // where the longest proper end of this beginning leads
    uint32_t longest = 0;      // the length of the longest text that ends here, words left out
    uint16_t children = 0;
    uint8_t byte = 0;
    uint8_t words = 0;  // bit n: a word of n bytes ends here
  };

  uint32_t child(uint32_t node, uint8_t byte) const;  // 0: none
  uint32_t after(uint32_t node, uint8_t byte) const;  // the state that the byte leads to

  std::vector<Node> nodes_;
  std::array<uint32_t, 256> first_{};  // children of the root
};

}  // namespace chandler
