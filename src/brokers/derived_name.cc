#include "brokers/derived_name.h"

#include <array>
#include <cstdint>

#include <openssl/sha.h>

namespace chandler::brokers {

std::string derived_name(std::string_view prefix, std::string_view id) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(id.data()), id.size(), digest.data());
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
  constexpr size_t kLength = 24;
  std::string name(prefix);
  uint32_t bits = 0;
  int count = 0;
  for (size_t i = 0; name.size() < prefix.size() + kLength; ++i) {
    bits = (bits << 8) | digest[i];
    for (count += 8; count >= 5 && name.size() < prefix.size() + kLength; count -= 5) {
      name += kLetters[(bits >> (count - 5)) & 31];
    }
  }
  return name;
}

}  // namespace chandler::brokers
