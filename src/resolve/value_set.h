// A set of label values that may be infinite: these values, or all but these. So "not a or b" is exact also where
// nobody has listed what there is. A plain value.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace chandler::resolve {

class ValueSet {
 public:
  static ValueSet everything() { return ValueSet(true); }
  static ValueSet nothing() { return ValueSet(false); }

  bool has(std::string_view value) const { return values_.contains(value) != all_but_; }
  bool has_any(const std::vector<std::string>& values) const {
    return std::any_of(values.begin(), values.end(), [&](const auto& value) { return has(value); });
  }
  bool is_open() const { return all_but_; }  // infinite
  bool is_empty() const { return !all_but_ && values_.empty(); }
  // Sorted; of a set that is not open.
  std::vector<std::string> finite() const { return {values_.begin(), values_.end()}; }

  void keep(const std::vector<std::string>& values) {
    Values kept;
    for (const auto& value : values) {
      if (has(value)) kept.insert(value);
    }
    values_ = std::move(kept);
    all_but_ = false;
  }
  void drop(const std::vector<std::string>& values) {
    for (const auto& value : values) {
      if (all_but_) {
        values_.insert(value);
      } else {
        values_.erase(value);
      }
    }
  }

 private:
  using Values = std::set<std::string, std::less<>>;
  explicit ValueSet(bool all_but) : all_but_(all_but) {}

  bool all_but_;
  Values values_;
};

}  // namespace chandler::resolve
