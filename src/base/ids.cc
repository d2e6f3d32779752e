#include "base/ids.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/check.h"

namespace chandler {

namespace {

void fill_random(char* bytes, size_t count) {
  size_t filled = 0;
  while (filled < count) {
    const ssize_t got = getrandom(bytes + filled, count - filled, 0);
    if (got < 0 && errno == EINTR) continue;
    // The kernel's generator cannot fail otherwise, and an identifier that is not random must never be handed out.
    CH_CHECK(got > 0);
    filled += static_cast<size_t>(got);
  }
}

// Identifiers are no secrets: asking the kernel once for many of them saves a system call for each. Keys and tokens go
// through random_bytes(), which keeps nothing.
void fill_identifier(char* bytes, size_t count) {
  thread_local std::array<char, 512> stock;
  thread_local size_t left = 0;
  if (count > stock.size()) return fill_random(bytes, count);
  if (left < count) {
    fill_random(stock.data(), stock.size());
    left = stock.size();
  }
  left -= count;
  std::memcpy(bytes, stock.data() + left, count);
}

}  // namespace

std::string random_bytes(size_t count) {
  std::string bytes(count, '\0');
  fill_random(bytes.data(), count);
  return bytes;
}

std::array<uint64_t, 2> hash_key() {
  std::array<uint64_t, 2> key{};
  std::array<char, sizeof(key)> bytes{};
  fill_random(bytes.data(), bytes.size());
  std::memcpy(&key, bytes.data(), bytes.size());
  return key;
}

std::string new_uuid() {
  std::array<char, 16> bytes{};
  fill_identifier(bytes.data(), bytes.size());
  bytes[6] = static_cast<char>((bytes[6] & 0x0F) | 0x40);  // version 4
  bytes[8] = static_cast<char>((bytes[8] & 0x3F) | 0x80);  // the RFC 4122 variant
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text(36, '-');
  size_t at = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) ++at;  // a dash
    const auto byte = static_cast<unsigned char>(bytes[i]);
    text[at++] = kHex[byte >> 4];
    text[at++] = kHex[byte & 0x0F];
  }
  return text;
}

std::string name_suffix(size_t length) {
  // Without vowels and look-alike digits, so that no word and no misreading comes out.
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  // Bytes above the largest multiple are thrown away: every letter is equally likely.
  constexpr size_t kUsable = 256 / kAlphabet.size() * kAlphabet.size();
  std::string suffix;
  while (suffix.size() < length) {
    char c = 0;
    fill_identifier(&c, 1);
    const auto byte = static_cast<unsigned char>(c);
    if (byte < kUsable) suffix += kAlphabet[byte % kAlphabet.size()];
  }
  return suffix;
}

}  // namespace chandler
