// Keys that a client chose so that they all fall into one bucket of the library's own hash.
#include <array>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "json/reader.h"
#include "support/growth.h"

namespace chandler::json {
namespace {

using testing::Growth;
using testing::is_linear;

// Blocks whose addresses end in 16 zeros, as those of an allocator for many threads do: what a client would guess.
class AlignedBlocks final : public boost::json::memory_resource {
  void* do_allocate(size_t bytes, size_t) override {
    constexpr size_t kAlignment = 1 << 16;
    return std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  }
  void do_deallocate(void* block, size_t, size_t) override { std::free(block); }
  bool do_is_equal(const boost::json::memory_resource& other) const noexcept override { return this == &other; }
};

// FNV-1a as Boost.JSON computes it, as far as it chooses a bucket: its low 16 bits.
constexpr uint16_t kBasis = 0x2325;
constexpr uint32_t kPrime = 0x01b3;

uint16_t hash_on(uint16_t hash, std::string_view text) {
  for (const char c : text) hash = static_cast<uint16_t>((hash ^ static_cast<unsigned char>(c)) * kPrime);
  return hash;
}

// The state from which `text` leads to 0.
uint16_t state_before(std::string_view text) {
  uint32_t inverse = 1;  // of the prime
  while (static_cast<uint16_t>(inverse * kPrime) != 1) inverse += 2;
  uint16_t hash = 0;
  for (auto c = text.rbegin(); c != text.rend(); ++c) {
    hash = static_cast<uint16_t>((hash * inverse) ^ static_cast<unsigned char>(*c));
  }
  return hash;
}

void for_each_word(const std::function<void(const std::string&)>& visit) {
  for (char a = 'a'; a <= 'z'; ++a) {
    for (char b = 'a'; b <= 'z'; ++b) {
      for (char c = 'a'; c <= 'z'; ++c) visit({a, b, c});
    }
  }
}

// Keys of six letters with the hash 0 where the table's address ends in 16 zeros.
std::vector<std::string> colliding_keys(size_t count) {
  std::vector<std::vector<std::string>> begins(1 << 16);  // by the state that they lead to
  for_each_word([&](const std::string& begin) { begins[hash_on(kBasis, begin)].push_back(begin); });
  std::vector<std::string> keys;
  for_each_word([&](const std::string& end) {
    for (const auto& begin : begins[state_before(end)]) {
      if (keys.size() < count) keys.push_back(begin + end);
    }
  });
  return keys;
}

TEST(ReaderGrowth, KeysOfOneBucketCostNoMoreThanOthers) {
  constexpr size_t kMost = 4096;
  const auto keys = colliding_keys(kMost);
  ASSERT_EQ(keys.size(), kMost);
  for (const auto& key : keys) ASSERT_EQ(hash_on(kBasis, key), 0) << key;
  EXPECT_TRUE(is_linear(kMost, [&](size_t size) -> Growth::Work {
    std::string text;
    for (size_t i = 0; i < size; ++i) text += (i == 0 ? "{\"" : ",\"") + keys[i] + "\":1";
    text += "}";
    return [text, size] {
      AlignedBlocks blocks;
      ReadOptions options;
      options.storage = &blocks;
      const auto value = parse(text, options);
      ASSERT_TRUE(value.ok());
      EXPECT_EQ(value->as_object().size(), size);
    };
  }));
}

}  // namespace
}  // namespace chandler::json
