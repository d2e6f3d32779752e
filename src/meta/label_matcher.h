// A label selector of many terms, arranged by key: an object costs one look-up for each label that it has, however many
// terms there are. For few terms LabelSelector::matches() does with less. Immutable and shared.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "meta/selector.h"

namespace chandler::meta {

class LabelMatcher {
 public:
  explicit LabelMatcher(const LabelSelector& selector);

  // Key and value of the i-th label; no key occurs twice.
  using LabelAt = std::function<std::pair<std::string_view, std::string_view>(size_t i)>;
  bool matches(size_t label_count, const LabelAt& label_at) const;

 private:
  // All terms of a key.
  struct Demand {
    bool required = false;                           // the label must be there
    bool forbidden = false;                          // the label must not be there
    std::optional<std::vector<std::string>> one_of;  // sorted
    std::vector<std::string> none_of;                // sorted
    std::optional<int64_t> above;
    std::optional<int64_t> below;

    void add(const Requirement& requirement);
    bool allows(std::string_view value) const;
  };

  std::map<std::string, Demand, std::less<>> demands_;
  size_t required_ = 0;  // of these
};

}  // namespace chandler::meta
