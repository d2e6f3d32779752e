// The hash of texts from outside: SipHash-1-3 with a random key of the process. With a hash that anybody can compute
// (std::hash, FNV), a client sends thousands of texts of the same hash, and every table of them becomes a list that is
// searched from its beginning. Thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace chandler {

uint64_t hash_text(std::string_view text);
uint64_t sip_hash(std::string_view text, const std::array<uint64_t, 2>& key);

// For hash tables: lookups take views, without making a string.
struct TextHash {
  using is_transparent = void;
  using is_avalanching = void;  // spares Boost's tables another round of mixing
  size_t operator()(std::string_view text) const { return hash_text(text); }
};

// Tables whose elements stay where they are; registry/text_map.h has some without that promise, which are faster.
template <typename T>
using StableTextMap = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;
using StableTextSet = std::unordered_set<std::string, TextHash, std::equal_to<>>;

}  // namespace chandler
