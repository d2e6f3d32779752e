// Hash tables keyed by text that can be asked with a view, without making a string.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

namespace chandler::registry {

struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

template <typename T>
using TextMap = boost::unordered_flat_map<std::string, T, TextHash, std::equal_to<>>;
using TextSet = boost::unordered_flat_set<std::string, TextHash, std::equal_to<>>;

}  // namespace chandler::registry
