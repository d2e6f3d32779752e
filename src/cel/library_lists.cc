#include "cel/evaluator.h"

namespace chandler::cel {
namespace {

Outcome smallest(const Value& list, bool largest, Meter& meter) {
  if (list.size() == 0) return Fault{"an empty list has no smallest or largest item", false};
  CH_TRY_LET(best, list.item(0));
  for (size_t i = 1; i < list.size(); ++i) {
    CH_TRY_LET(item, list.item(i));
    if (!meter.charge(item.size() / kBytesPerUnit)) return Meter::over();
    CH_TRY_LET(order, compare(item, best));
    if (order == (largest ? 1 : -1)) best = std::move(item);
  }
  // One item alone has been compared with nothing: it must have an order all the same.
  CH_TRY(compare(best, best));
  return best;
}

Outcome is_sorted(const Value& list, Meter& meter) {
  for (size_t i = 1; i < list.size(); ++i) {
    CH_TRY_LET(before, list.item(i - 1));
    CH_TRY_LET(item, list.item(i));
    if (!meter.charge(item.size() / kBytesPerUnit)) return Meter::over();
    CH_TRY_LET(order, compare(before, item));
    if (order > 0) return Value::boolean(false);
  }
  return Value::boolean(true);
}

Outcome sum(const Value& list, Meter& meter) {
  if (list.size() == 0) {
    // Of no items: zero of the type that the schema gives them.
    const auto* node = list.schema() == nullptr ? nullptr : list.schema()->items;
    if (node != nullptr && node->types == meta::kTypeNumber) return Value::real(0);
    return Value::integer(0);
  }
  CH_TRY_LET(total, list.item(0));
  const bool summable =
      total.is(Kind::kInt) || total.is(Kind::kUint) || total.is(Kind::kDouble) || total.is(Kind::kDuration);
  if (!summable) return no_overload("sum");
  for (size_t i = 1; i < list.size(); ++i) {
    CH_TRY_LET(item, list.item(i));
    CH_TRY_LET(next, add_values(total, item, meter));
    total = std::move(next);
  }
  return total;
}

Result<bool, Fault> holds(const Value& list, const Value& wanted, Meter& meter) {
  for (size_t i = 0; i < list.size(); ++i) {
    CH_TRY_LET(item, list.item(i));
    CH_TRY_LET(same, equal_within(item, wanted, meter));
    if (same) return true;
  }
  return false;
}

// Every item of `b` is in `a`.
Result<bool, Fault> holds_all(const Value& a, const Value& b, Meter& meter) {
  for (size_t i = 0; i < b.size(); ++i) {
    CH_TRY_LET(item, b.item(i));
    CH_TRY_LET(found, holds(a, item, meter));
    if (!found) return false;
  }
  return true;
}

Outcome as_sets(Function function, const Value& a, const Value& b, Meter& meter) {
  if (!b.is(Kind::kList)) return no_overload("sets");
  if (function == Function::kSetsIntersects) {
    for (size_t i = 0; i < b.size(); ++i) {
      CH_TRY_LET(item, b.item(i));
      CH_TRY_LET(found, holds(a, item, meter));
      if (found) return Value::boolean(true);
    }
    return Value::boolean(false);
  }
  CH_TRY_LET(forward, holds_all(a, b, meter));
  if (!forward || function == Function::kSetsContains) return Value::boolean(forward);
  CH_TRY_LET(backward, holds_all(b, a, meter));
  return Value::boolean(backward);
}

Outcome position(const Value& list, const Value& wanted, bool last, Meter& meter) {
  for (size_t n = 0; n < list.size(); ++n) {
    const size_t i = last ? list.size() - 1 - n : n;
    if (!meter.charge(1)) return Meter::over();
    CH_TRY_LET(item, list.item(i));
    CH_TRY_LET(same, equal_within(item, wanted, meter));
    if (same) return Value::integer(static_cast<int64_t>(i));
  }
  return Value::integer(-1);
}

Outcome joined_text(const Value& list, std::string_view between, Meter& meter) {
  std::string out;
  for (size_t i = 0; i < list.size(); ++i) {
    CH_TRY_LET(item, list.item(i));
    if (!item.is(Kind::kString)) return no_overload("join");
    if (!meter.charge((item.size() + between.size()) / kBytesPerUnit)) return Meter::over();
    if (i > 0) out += between;
    out += item.text();
  }
  return Value::string(std::move(out));
}

}  // namespace

Outcome call_list(Function function, const std::vector<Value>& arguments, Meter& meter) {
  const Value& list = arguments[0];
  if (!list.is(Kind::kList)) return no_overload("list");
  switch (function) {
    case Function::kMin:
    case Function::kMax:
      return smallest(list, function == Function::kMax, meter);
    case Function::kSum:
      return sum(list, meter);
    case Function::kIsSorted:
      return is_sorted(list, meter);
    case Function::kJoin:
      if (arguments.size() > 1 && !arguments[1].is(Kind::kString)) return no_overload("join");
      return joined_text(list, arguments.size() > 1 ? arguments[1].text() : "", meter);
    case Function::kIndexOf:
    case Function::kLastIndexOf:
      return position(list, arguments[1], function == Function::kLastIndexOf, meter);
    default:
      return as_sets(function, list, arguments[1], meter);
  }
}

}  // namespace chandler::cel
