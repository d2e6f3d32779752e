// Delays that double, with a spread that is different for every key but always the same for one: many keys that failed
// together do not come back together, and a simulation stays repeatable. Pure.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace chandler::controller {

// FNV-1a: the same on every machine and in every run, unlike std::hash.
inline uint64_t stable_hash(std::string_view text, uint64_t seed = 0xcbf29ce484222325ULL) {
  for (const char c : text) {
    seed ^= static_cast<unsigned char>(c);
    seed *= 0x100000001b3ULL;
  }
  return seed;
}

// After the `failures`-th failure in a row (from 1): first, 2*first, 4*first ... up to last.
inline std::chrono::milliseconds doubled(std::chrono::milliseconds first, std::chrono::milliseconds last,
                                         size_t failures) {
  auto delay = first;
  for (size_t i = 1; i < failures && delay < last; ++i) delay *= 2;
  return std::min(delay, last);
}

// `delay` times something between 0.75 and 1.25 that `hash` decides.
inline std::chrono::microseconds spread(std::chrono::microseconds delay, uint64_t hash) {
  hash ^= hash >> 33;
  hash *= 0xff51afd7ed558ccdULL;
  hash ^= hash >> 33;
  return delay * 3 / 4 + delay * static_cast<int64_t>(hash % 1024) / 2048;
}

}  // namespace chandler::controller
