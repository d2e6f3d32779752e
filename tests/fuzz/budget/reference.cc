#include "fuzz/budget/reference.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace chandler::fuzz {
namespace {

constexpr int kBytes = 8 * 1024;

// Counts the words of a text: looks at each byte, copies it, allocates memory and searches a tree.
size_t count_words() {
  std::map<std::string, int> words;
  std::string word;
  uint32_t random = 1;
  for (int i = 0; i < kBytes; ++i) {
    random = random * 1664525 + 1013904223;
    const char letter = static_cast<char>('a' + (random >> 28U));
    if (letter == 'p') {
      ++words[word];
      word.clear();
    } else {
      word += letter;
    }
  }
  return words.size();
}

}  // namespace

double measure_reference() {
  constexpr int kRuns = 3;
  double least = 1e9;
  for (int i = 0; i < kRuns; ++i) {
    const double begin = processor_seconds();
    volatile size_t result = count_words();
    (void)result;
    least = std::min(least, processor_seconds() - begin);
  }
  return least / kBytes;
}

}  // namespace chandler::fuzz
