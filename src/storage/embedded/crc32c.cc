#include "storage/embedded/crc32c.h"

#include <array>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace chandler::storage {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // reflected
constexpr size_t kLanes = 8;                  // bytes taken at once

using Tables = std::array<std::array<uint32_t, 256>, kLanes>;

// tables[lane][b]: what byte b contributes when `lane` more bytes follow it.
constexpr Tables make_tables() {
  Tables tables{};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][b] = crc;
  }
  for (size_t lane = 1; lane < kLanes; ++lane) {
    for (size_t b = 0; b < 256; ++b) {
      const uint32_t shorter = tables[lane - 1][b];
      tables[lane][b] = (shorter >> 8) ^ tables[0][shorter & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

uint32_t by_tables(std::string_view bytes, uint32_t crc) {
  crc = ~crc;
  const auto* next = reinterpret_cast<const unsigned char*>(bytes.data());
  size_t left = bytes.size();
  for (; left >= kLanes; left -= kLanes, next += kLanes) {
    const uint32_t mixed =
        crc ^ (uint32_t{next[0]} | uint32_t{next[1]} << 8 | uint32_t{next[2]} << 16 | uint32_t{next[3]} << 24);
    crc = kTables[7][mixed & 0xff] ^ kTables[6][(mixed >> 8) & 0xff] ^ kTables[5][(mixed >> 16) & 0xff] ^
          kTables[4][mixed >> 24] ^ kTables[3][next[4]] ^ kTables[2][next[5]] ^ kTables[1][next[6]] ^
          kTables[0][next[7]];
  }
  for (; left > 0; --left, ++next) crc = (crc >> 8) ^ kTables[0][(crc ^ *next) & 0xff];
  return ~crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t by_instruction(std::string_view bytes, uint32_t crc) {
  uint64_t state = ~crc;
  size_t at = 0;
  for (; at + kLanes <= bytes.size(); at += kLanes) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, kLanes);
    state = _mm_crc32_u64(state, word);
  }
  auto rest = static_cast<uint32_t>(state);
  for (; at < bytes.size(); ++at) rest = _mm_crc32_u8(rest, static_cast<unsigned char>(bytes[at]));
  return ~rest;
}
#endif

}  // namespace

uint32_t crc32c(std::string_view bytes, uint32_t crc) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return by_instruction(bytes, crc);
#endif
  return by_tables(bytes, crc);
}

uint32_t crc32c_portable(std::string_view bytes, uint32_t crc) { return by_tables(bytes, crc); }

}  // namespace chandler::storage
