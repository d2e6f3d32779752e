#include "base/text_hash.h"

#include <bit>
#include <cstring>

#include "base/ids.h"

namespace chandler {
namespace {

struct SipState {
  uint64_t v0, v1, v2, v3;

  void mix() {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }
  void add(uint64_t block) {
    v3 ^= block;
    mix();
    v0 ^= block;
  }
};

// The `count` bytes, fewer than 8, as a number; without a loop, because most texts are short.
uint64_t last_bytes(const char* at, size_t count) {
  const auto byte = [at](size_t i) { return uint64_t{static_cast<unsigned char>(at[i])} << 8 * i; };
  if (count == 0) return 0;
  if (count < 4) return byte(0) | byte(count / 2) | byte(count - 1);
  uint32_t low = 0;
  uint32_t high = 0;  // the last four, some of which `low` may have too
  std::memcpy(&low, at, sizeof(low));
  std::memcpy(&high, at + count - sizeof(high), sizeof(high));
  return low | uint64_t{high} << 8 * (count - sizeof(high));
}

}  // namespace

uint64_t sip_hash(std::string_view text, const std::array<uint64_t, 2>& key) {
  SipState state{key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
                 key[1] ^ 0x7465646279746573};
  const char* at = text.data();
  uint64_t block = 0;
  for (size_t blocks = text.size() / sizeof(block); blocks > 0; --blocks, at += sizeof(block)) {
    std::memcpy(&block, at, sizeof(block));
    state.add(block);
  }
  uint64_t last = uint64_t{text.size()} << 56 | last_bytes(at, text.size() % sizeof(block));
  state.add(last);
  state.v2 ^= 0xff;
  for (int round = 0; round < 3; ++round) state.mix();
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

uint64_t hash_text(std::string_view text) {
  static const auto key = hash_key();
  return sip_hash(text, key);
}

}  // namespace chandler
