#include "json/duplicate_keys.h"

#include <algorithm>

namespace chandler::json {
namespace {

// Reports stop after this many bytes. Each path repeats the keys above it, so one long key above many pairs of equal
// keys would be copied once for each pair.
constexpr size_t kMaxReportBytes = 256 * 1024;

}  // namespace

void DuplicateKeys::close_object() {
  // Comparing all pairs is quickest for objects of usual size; sorting is what no choice of keys can make slow.
  constexpr size_t kPairwise = 16;
  const auto first = keys_.begin() + static_cast<std::ptrdiff_t>(open_.back().first_key);
  const auto last = keys_.end();
  if (last - first <= static_cast<std::ptrdiff_t>(kPairwise)) {
    for (auto at = first; at != last; ++at) {
      // Once per key: when its second occurrence is met.
      if (std::count(first, at, *at) == 1) report(*at);
    }
  } else {
    // The path needs the last key of every object around this one, not the order within.
    std::sort(first, last);
    for (auto at = first; (at = std::adjacent_find(at, last)) != last;) {
      report(*at);
      at = std::upper_bound(at, last, *at);
    }
  }
  keys_.erase(first, last);
  open_.pop_back();
  count_value();
}

void DuplicateKeys::close_array() {
  open_.pop_back();
  count_value();
}

void DuplicateKeys::report(std::string_view key) {
  if (reported_bytes_ > kMaxReportBytes) return;
  std::string path;
  for (size_t i = 0; i + 1 < open_.size(); ++i) {
    if (open_[i].is_array) {
      path += '[' + std::to_string(open_[i].values) + ']';
    } else {
      if (!path.empty()) path += '.';
      path += keys_[open_[i + 1].first_key - 1];
    }
  }
  if (!path.empty()) path += '.';
  path += key;
  reported_bytes_ += path.size();
  paths_.push_back(std::move(path));
}

}  // namespace chandler::json
