#include "meta/label_matcher.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/text.h"

namespace chandler::meta {
namespace {

using Texts = std::vector<std::string>;
using Limits = std::numeric_limits<int64_t>;

bool has(const Texts& sorted, std::string_view text) { return std::binary_search(sorted.begin(), sorted.end(), text); }

Texts intersect(const Texts& a, const Texts& b) {
  Texts both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

}  // namespace

LabelMatcher::LabelMatcher(const LabelSelector& selector) {
  for (const auto& requirement : selector.requirements()) demands_[requirement.key].add(requirement);
  for (auto& [key, demand] : demands_) {
    std::sort(demand.none_of.begin(), demand.none_of.end());
    if (demand.required) ++required_;
  }
}

void LabelMatcher::Demand::add(const Requirement& requirement) {
  const auto& values = requirement.values;
  switch (requirement.op) {
    case Operator::kExists:
      required = true;
      break;
    case Operator::kDoesNotExist:
      forbidden = true;
      break;
    case Operator::kEquals:
    case Operator::kIn:
      required = true;
      one_of = one_of ? intersect(*one_of, values) : values;
      break;
    case Operator::kNotEquals:
    case Operator::kNotIn:
      none_of.insert(none_of.end(), values.begin(), values.end());
      break;
    // A bound that is no number admits nothing.
    case Operator::kGreater:
      required = true;
      above = std::max(above.value_or(Limits::min()), parse_int64(values[0]).value_or(Limits::max()));
      break;
    case Operator::kLess:
      required = true;
      below = std::min(below.value_or(Limits::max()), parse_int64(values[0]).value_or(Limits::min()));
      break;
  }
}

bool LabelMatcher::Demand::allows(std::string_view value) const {
  if (forbidden || (one_of && !has(*one_of, value)) || has(none_of, value)) return false;
  if (!above && !below) return true;
  const auto number = parse_int64(value);
  return number && (!above || *number > *above) && (!below || *number < *below);
}

bool LabelMatcher::matches(size_t label_count, const LabelAt& label_at) const {
  size_t missing = required_;
  if (missing > label_count) return false;
  for (size_t i = 0; i < label_count; ++i) {
    const auto [key, value] = label_at(i);
    const auto demand = demands_.find(key);
    if (demand == demands_.end()) continue;
    if (!demand->second.allows(value)) return false;
    if (demand->second.required) --missing;
  }
  return missing == 0;
}

}  // namespace chandler::meta
