#include "admission/match_condition.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cel/checker.h"
#include "cel/evaluator.h"
#include "cel/expression.h"
#include "cel/type.h"

namespace chandler::admission {
namespace {

constexpr uint64_t kMostForOne = 1'000'000;  // as Kubernetes has it

}  // namespace

MatchCondition::MatchCondition(std::unique_ptr<cel::Expression> expression, uint32_t slots)
    : expression_(std::move(expression)), slots_(slots) {}

MatchCondition::~MatchCondition() = default;

Result<MatchConditionPtr, std::string> MatchCondition::compile(std::string_view expression, meta::Patterns& patterns) {
  auto parsed = cel::parse(expression);
  if (!parsed.ok()) return fail(std::move(parsed).error().message);
  const auto any = cel::dyn_type();
  const auto checked =
      cel::check(**parsed, expression, {{"object", any}, {"oldObject", any}, {"request", any}}, patterns);
  if (!checked.ok()) return fail(checked.error().message);
  const bool may_be_true = checked->type->is == cel::Type::Is::kDyn || checked->type->is_scalar(cel::Kind::kBool);
  if (!may_be_true) return fail(std::string("must evaluate to bool"));
  return MatchConditionPtr(new MatchCondition(std::move(parsed).value(), checked->slots));
}

Result<bool, std::string> MatchCondition::holds(const json::Value& object, const json::Value& old,
                                                const json::Value& request, uint64_t& budget) const {
  std::vector<cel::Value> slots;
  for (const auto* document : {&object, &old, &request}) {
    auto value = cel::Value::of(*document, nullptr);
    if (!value.ok()) return fail(std::move(value).error().message);
    slots.push_back(std::move(value).value());
  }
  slots.resize(std::max<size_t>(slots.size(), slots_));
  cel::Meter meter(std::min(budget, kMostForOne));
  auto outcome = cel::evaluate(*expression_, slots, meter);
  budget -= meter.spent();
  if (!outcome.ok()) return fail(std::move(outcome).error().message);
  if (!outcome->is(cel::Kind::kBool)) return fail(std::string("the condition is neither true nor false"));
  return outcome->as_bool();
}

}  // namespace chandler::admission
