// A match condition of a webhook: an expression over a write that says whether the webhook wants to see it. Compiled
// once, immutable and shared by all threads; an evaluation has a budget.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"
#include "meta/pattern.h"

namespace chandler::cel {
struct Expression;
}

namespace chandler::admission {

class MatchCondition {
 public:
  // Known are `object`, `oldObject` and `request`. The error is a sentence that begins with the place: "1:7: ...".
  // Conditions that stand in one document share `patterns`.
  static Result<std::shared_ptr<const MatchCondition>, std::string> compile(std::string_view expression,
                                                                            meta::Patterns& patterns);
  ~MatchCondition();
  MatchCondition(const MatchCondition&) = delete;
  MatchCondition& operator=(const MatchCondition&) = delete;

  // What all conditions of a webhook may cost together, as Kubernetes has it.
  static constexpr uint64_t kBudget = 2'500'000;

  // `object` is null on a delete, `old` on a create; `request` is that of an AdmissionReview without these two. What it
  // cost is taken from `budget`. The error says why there is no answer.
  Result<bool, std::string> holds(const json::Value& object, const json::Value& old, const json::Value& request,
                                  uint64_t& budget) const;

 private:
  MatchCondition(std::unique_ptr<cel::Expression> expression, uint32_t slots);

  const std::unique_ptr<cel::Expression> expression_;
  const uint32_t slots_;
};
using MatchConditionPtr = std::shared_ptr<const MatchCondition>;

}  // namespace chandler::admission
