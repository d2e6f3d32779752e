// Tells values that come for the first time from those that came before. The usual few are searched in a list, so that
// they cost no allocation. Not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <set>

namespace chandler::auth {

template <typename Value>
class FirstTimes {
 public:
  // False: it was added before.
  bool add(const Value& value) {
    const auto end = few_.begin() + count_;
    if (std::find(few_.begin(), end, value) != end) return false;
    if (end == few_.end()) return more_.insert(value).second;
    *end = value;
    ++count_;
    return true;
  }

 private:
  std::array<Value, 16> few_{};
  std::ptrdiff_t count_ = 0;
  std::set<Value> more_;
};

}  // namespace chandler::auth
