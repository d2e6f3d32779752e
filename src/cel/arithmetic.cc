#include <cmath>

#include "cel/evaluator.h"
#include "cel/instant.h"

namespace chandler::cel {
namespace {

constexpr int64_t kNanosPerSecond = 1000000000;

Fault overflow() { return {"integer overflow", false}; }
Fault by_zero() { return {"division by zero", false}; }

Outcome moved(const Value& moment, int64_t nanos) {
  int64_t seconds = moment.seconds() + nanos / kNanosPerSecond;
  int64_t rest = static_cast<int64_t>(moment.nanos()) + nanos % kNanosPerSecond;
  if (rest < 0) {
    rest += kNanosPerSecond;
    --seconds;
  } else if (rest >= kNanosPerSecond) {
    rest -= kNanosPerSecond;
    ++seconds;
  }
  if (seconds < kFirstSecond || seconds > kLastSecond) return Fault{"timestamp overflow", false};
  return Value::timestamp(seconds, static_cast<uint32_t>(rest));
}

Outcome between(const Value& a, const Value& b) {
  int64_t nanos = 0;
  if (__builtin_mul_overflow(a.seconds() - b.seconds(), kNanosPerSecond, &nanos) ||
      __builtin_add_overflow(nanos, static_cast<int64_t>(a.nanos()) - static_cast<int64_t>(b.nanos()), &nanos)) {
    return Fault{"duration overflow", false};
  }
  return Value::duration(nanos);
}

template <typename T>
bool calculate_whole(Operator op, T a, T b, T& out, bool& zero) {
  switch (op) {
    case Operator::kAdd:
      return !__builtin_add_overflow(a, b, &out);
    case Operator::kSubtract:
      return !__builtin_sub_overflow(a, b, &out);
    case Operator::kMultiply:
      return !__builtin_mul_overflow(a, b, &out);
    default:
      break;
  }
  zero = b == 0;
  if (zero) return false;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) {
      // The one quotient that does not fit; the remainder of -1 is always 0.
      if (op == Operator::kModulo) {
        out = 0;
        return true;
      }
      return !__builtin_sub_overflow(T{0}, a, &out);
    }
  }
  out = op == Operator::kDivide ? a / b : a % b;
  return true;
}

}  // namespace

Outcome calculate(Operator op, const Value& a, const Value& b) {
  bool zero = false;
  if (a.is(Kind::kInt) && b.is(Kind::kInt)) {
    int64_t out = 0;
    if (!calculate_whole(op, a.as_int(), b.as_int(), out, zero)) return zero ? by_zero() : overflow();
    return Value::integer(out);
  }
  if (a.is(Kind::kUint) && b.is(Kind::kUint)) {
    uint64_t out = 0;
    if (!calculate_whole(op, a.as_uint(), b.as_uint(), out, zero)) return zero ? by_zero() : overflow();
    return Value::unsigned_integer(out);
  }
  if (a.is(Kind::kDouble) && b.is(Kind::kDouble)) {
    const double x = a.as_double();
    const double y = b.as_double();
    if (op == Operator::kAdd) return Value::real(x + y);
    if (op == Operator::kSubtract) return Value::real(x - y);
    if (op == Operator::kMultiply) return Value::real(x * y);
    if (op == Operator::kDivide) return Value::real(x / y);
  }
  if (op == Operator::kSubtract && a.is(Kind::kTimestamp) && b.is(Kind::kTimestamp)) return between(a, b);
  if (op == Operator::kSubtract && a.is(Kind::kTimestamp) && b.is(Kind::kDuration)) {
    if (b.as_int() == INT64_MIN) return overflow();
    return moved(a, -b.as_int());
  }
  if (a.is(Kind::kDuration) && b.is(Kind::kDuration) && (op == Operator::kSubtract || op == Operator::kAdd)) {
    int64_t out = 0;
    if (!calculate_whole(op, a.as_int(), b.as_int(), out, zero)) return Fault{"duration overflow", false};
    return Value::duration(out);
  }
  return no_overload(operator_text(op));
}

Outcome add_values(const Value& a, const Value& b, Meter& meter) {
  if (a.kind() == b.kind() && (a.is(Kind::kString) || a.is(Kind::kBytes))) {
    if (!meter.charge((a.size() + b.size()) / kBytesPerUnit)) return Meter::over();
    std::string out(a.text());
    out += b.text();
    return a.is(Kind::kString) ? Value::string(std::move(out)) : Value::bytes(std::move(out));
  }
  if (a.is(Kind::kList) && b.is(Kind::kList)) {
    // The items are copied: each one counts.
    if (!meter.charge(a.size() + b.size())) return Meter::over();
    Value::Items items;
    items.reserve(a.size() + b.size());
    for (const Value* list : {&a, &b}) {
      for (size_t i = 0; i < list->size(); ++i) {
        CH_TRY_LET(item, list->item(i));
        items.push_back(std::move(item));
      }
    }
    return Value::list(std::move(items));
  }
  if (a.is(Kind::kTimestamp) && b.is(Kind::kDuration)) return moved(a, b.as_int());
  if (a.is(Kind::kDuration) && b.is(Kind::kTimestamp)) return moved(b, a.as_int());
  return calculate(Operator::kAdd, a, b);
}

}  // namespace chandler::cel
