#include "base/ids.h"

#include <sys/random.h>

#include <cerrno>
#include <string_view>

#include "base/check.h"
#include "base/text.h"

namespace chandler {

std::string random_bytes(size_t count) {
  std::string bytes(count, '\0');
  size_t filled = 0;
  while (filled < count) {
    const ssize_t got = getrandom(bytes.data() + filled, count - filled, 0);
    if (got < 0 && errno == EINTR) continue;
    // The kernel's generator cannot fail otherwise, and an identifier that is not random must never be handed out.
    CH_CHECK(got > 0);
    filled += static_cast<size_t>(got);
  }
  return bytes;
}

std::string new_uuid() {
  std::string bytes = random_bytes(16);
  bytes[6] = static_cast<char>((bytes[6] & 0x0F) | 0x40);  // version 4
  bytes[8] = static_cast<char>((bytes[8] & 0x3F) | 0x80);  // the RFC 4122 variant
  std::string text = hex_encode(bytes);
  for (const size_t dash : {8u, 13u, 18u, 23u}) text.insert(dash, 1, '-');
  return text;
}

std::string name_suffix(size_t length) {
  // Without vowels and look-alike digits, so that no word and no misreading comes out.
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  // Bytes above the largest multiple are thrown away: every letter is equally likely.
  constexpr size_t kUsable = 256 / kAlphabet.size() * kAlphabet.size();
  std::string suffix;
  while (suffix.size() < length) {
    for (const char c : random_bytes(length - suffix.size())) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < kUsable) suffix += kAlphabet[byte % kAlphabet.size()];
    }
  }
  return suffix;
}

}  // namespace chandler
