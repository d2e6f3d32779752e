// For tests only: random JSON from a seed, the same on every machine. Few names, so that layers meet.
#pragma once

#include <array>
#include <cstdint>

#include "json/value.h"

namespace chandler::resolve {

class RandomJson {
 public:
  explicit RandomJson(uint64_t seed) : state_(seed * 2654435761U + 1) {}

  size_t below(size_t n) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<size_t>(state_ >> 33U) % n;
  }

  const char* name() { return std::array<const char*, 8>{"a", "b", "c", "o", "p", "", "x/y", "~"}[below(8)]; }

  json::Value value(size_t depth) {
    switch (below(depth > 0 ? 10 : 7)) {
      case 0:
        return nullptr;
      case 1:
        return below(2) == 0;
      case 2:
        return static_cast<int64_t>(below(5)) - 2;
      case 3:
        return static_cast<double>(below(9)) / 4;
      case 4:
        return json::Value(std::array<const char*, 4>{"", "s", "\xC3\xBC", "{.a}"}[below(4)]);
      case 5:
        return json::Object();
      case 6:
      case 7: {
        json::Array list;
        for (size_t i = below(3); i > 0 && depth > 0; --i) list.push_back(value(depth - 1));
        return list;
      }
      default:
        return object(depth - 1);
    }
  }

  json::Value object(size_t depth) {
    json::Object members;
    for (size_t i = below(5); i > 0; --i) members[name()] = value(depth);
    return members;
  }

  // No nulls, and a name says by itself whether its value is an object, so that no layer changes the shape of another.
  json::Value shaped_object(size_t depth) {
    json::Object members;
    for (size_t i = below(5); i > 0; --i) {
      const char* key = name();
      const bool is_object = key[0] == 'o' || key[0] == 'p';
      if (is_object && depth == 0) continue;
      members[key] = is_object ? shaped_object(depth - 1) : json::Value(static_cast<int64_t>(below(5)));
    }
    return members;
  }

 private:
  uint64_t state_;
};

}  // namespace chandler::resolve
