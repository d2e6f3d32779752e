// Texts of one std::hash, as a client can compute them: libstdc++ takes MurmurHash64A with a key that everybody knows,
// so of each two blocks of eight bytes the second can be chosen to lead to a wanted state. With these, tests show that
// a table which holds texts from outside does not depend on that hash.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace chandler::testing {

// Texts of printable characters that need no escape in JSON. Where they stand in a larger text that is hashed, always
// with the same `before`, and the same number of bytes after it, the hashes of the larger texts are equal.
inline std::vector<std::string> texts_of_one_hash(size_t count, std::string_view before = "", size_t after = 0) {
  constexpr size_t kBlock = sizeof(uint64_t);
  constexpr uint64_t kFactor = 0xc6a4a7935bd1e995;
  constexpr uint64_t kInverse = 0x5f7a0ea7e59b19bd;  // of the factor
  static_assert(kFactor * kInverse == 1);
  const auto scramble = [](uint64_t block) {
    block *= kFactor;
    return (block ^ (block >> 47)) * kFactor;
  };
  const auto unscramble = [](uint64_t block) {
    block *= kInverse;
    return (block ^ (block >> 47)) * kInverse;
  };
  const auto is_plain = [](char c) {
    return c > ' ' && c < 0x7f && std::string_view("\"\\<>&").find(c) == std::string_view::npos;
  };

  const std::string padding((kBlock - before.size() % kBlock) % kBlock, 'p');
  const std::string begin = std::string(before) + padding;
  uint64_t state = 0xc70f6907 ^ ((begin.size() + 2 * kBlock + after) * kFactor);
  uint64_t block = 0;
  for (size_t at = 0; at < begin.size(); at += kBlock) {
    std::memcpy(&block, begin.data() + at, kBlock);
    state = (state ^ scramble(block)) * kFactor;
  }

  std::vector<std::string> texts;
  for (uint64_t number = 0; texts.size() < count; ++number) {
    char bytes[2 * kBlock];
    for (size_t i = 0; i < kBlock; ++i) bytes[i] = static_cast<char>('a' + (number >> 4 * i) % 16);
    std::memcpy(&block, bytes, kBlock);
    const uint64_t here = (state ^ scramble(block)) * kFactor;
    block = unscramble(here);  // leads to the state 0
    std::memcpy(bytes + kBlock, &block, kBlock);
    if (std::all_of(bytes + kBlock, bytes + 2 * kBlock, is_plain)) {
      texts.push_back(padding + std::string(bytes, sizeof(bytes)));
    }
  }
  return texts;
}

inline bool have_one_hash(const std::vector<std::string>& texts, const std::string& before = "",
                          const std::string& after = "") {
  const auto hash = [&](const std::string& text) { return std::hash<std::string>()(before + text + after); };
  return std::all_of(texts.begin(), texts.end(), [&](const auto& text) { return hash(text) == hash(texts.front()); });
}

}  // namespace chandler::testing
