// Amounts such as 500m and 1Gi: quantity('1Gi').isGreaterThan(quantity('500Mi')).
#include "cel/evaluator.h"
#include "meta/quantity.h"

namespace chandler::cel {
namespace {

using Nanos = meta::Quantity::Nanos;

constexpr Nanos kNanosOfOne = 1000000000;
constexpr Nanos kMostUnits = INT64_MAX;

bool is_whole(const meta::Quantity& quantity) { return quantity.nanos() % kNanosOfOne == 0; }

Outcome sum_of(const meta::Quantity& a, const Value& b, bool minus) {
  const Nanos other = b.is(Kind::kInt) ? static_cast<Nanos>(b.as_int()) * kNanosOfOne : b.as_quantity().nanos();
  // Both are below 2^94, so this cannot overflow; what is beyond a quantity is refused.
  const Nanos total = minus ? a.nanos() - other : a.nanos() + other;
  if (total > kMostUnits * kNanosOfOne || total < -kMostUnits * kNanosOfOne) return Fault{"quantity overflow", false};
  return Value::quantity(meta::Quantity(total, meta::Quantity::Notation::kDecimal));
}

Outcome compare_quantities(Function function, const meta::Quantity& a, const meta::Quantity& b) {
  const int order = a < b ? -1 : b < a ? 1 : 0;
  if (function == Function::kIsLessThan) return Value::boolean(order < 0);
  if (function == Function::kIsGreaterThan) return Value::boolean(order > 0);
  return Value::integer(order);
}

}  // namespace

Outcome call_quantity(Function function, const std::vector<Value>& arguments) {
  const Value& first = arguments[0];
  if (function == Function::kQuantity || function == Function::kIsQuantity) {
    if (!first.is(Kind::kString)) return no_overload("quantity");
    const auto parsed = meta::parse_quantity(first.text());
    if (function == Function::kIsQuantity) return Value::boolean(parsed.has_value());
    if (!parsed) return Fault{"cannot be converted to quantity", false};
    return Value::quantity(*parsed);
  }
  if (!first.is(Kind::kQuantity)) return no_overload("quantity");
  const auto& quantity = first.as_quantity();
  const bool sums = function == Function::kAdd || function == Function::kSub;
  if (arguments.size() > 1 && !arguments[1].is(Kind::kQuantity) && !(sums && arguments[1].is(Kind::kInt))) {
    return no_overload("quantity");
  }
  switch (function) {
    case Function::kIsInteger:
      return Value::boolean(is_whole(quantity));
    case Function::kAsInteger:
      if (!is_whole(quantity)) return Fault{"the quantity is no whole number", false};
      return Value::integer(static_cast<int64_t>(quantity.nanos() / kNanosOfOne));
    case Function::kAsApproximateFloat:
      return Value::real(static_cast<double>(quantity.nanos()) / 1e9);
    case Function::kSign:
      return Value::integer(quantity.is_zero() ? 0 : quantity.is_negative() ? -1 : 1);
    case Function::kAdd:
    case Function::kSub:
      return sum_of(quantity, arguments[1], function == Function::kSub);
    default:
      return compare_quantities(function, quantity, arguments[1].as_quantity());
  }
}

}  // namespace chandler::cel
