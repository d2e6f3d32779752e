// SHA-256. Secrets are looked up by their digest, so that the time a lookup takes says nothing about the secret. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace chandler::auth {

using Digest = std::array<unsigned char, 32>;

Digest sha256(std::string_view bytes);
inline std::string_view view(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// A digest is evenly spread already: its first bytes are a hash.
struct DigestHash {
  size_t operator()(const Digest& digest) const {
    size_t hash = 0;
    std::memcpy(&hash, digest.data(), sizeof(hash));
    return hash;
  }
};

}  // namespace chandler::auth
