// Hash tables keyed by text that can be asked with a view, without making a string.
#pragma once

#include <functional>
#include <string>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "base/text_hash.h"

namespace chandler::registry {

template <typename T>
using TextMap = boost::unordered_flat_map<std::string, T, TextHash, std::equal_to<>>;
using TextSet = boost::unordered_flat_set<std::string, TextHash, std::equal_to<>>;

}  // namespace chandler::registry
