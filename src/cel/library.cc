// Dispatch of functions, conversions, times and optionals; texts and lists have files of their own.
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "base/time_text.h"
#include "cel/evaluator.h"
#include "cel/instant.h"

namespace chandler::cel {
namespace {

constexpr double kIntLimit = 9223372036854775808.0;
constexpr double kUintLimit = 18446744073709551616.0;

Fault bad(std::string_view what) { return {fmt::format("cannot be converted to {}", what), false}; }

Outcome to_int(const Value& v) {
  switch (v.kind()) {
    case Kind::kInt:
      return v;
    case Kind::kUint:
      if (v.as_uint() > INT64_MAX) return Fault{"integer overflow", false};
      return Value::integer(v.as_int());
    case Kind::kDouble:
      if (!(v.as_double() > -kIntLimit && v.as_double() < kIntLimit)) return Fault{"integer overflow", false};
      return Value::integer(static_cast<int64_t>(v.as_double()));
    case Kind::kTimestamp:
      return Value::integer(v.seconds());
    case Kind::kString: {
      const auto number = parse_int64(v.text());
      if (!number) return bad("int");
      return Value::integer(*number);
    }
    default:
      return no_overload("int");
  }
}

Outcome to_uint(const Value& v) {
  switch (v.kind()) {
    case Kind::kUint:
      return v;
    case Kind::kInt:
      if (v.as_int() < 0) return Fault{"integer overflow", false};
      return Value::unsigned_integer(v.as_uint());
    case Kind::kDouble:
      if (!(v.as_double() >= 0 && v.as_double() < kUintLimit)) return Fault{"integer overflow", false};
      return Value::unsigned_integer(static_cast<uint64_t>(v.as_double()));
    case Kind::kString: {
      const auto number = parse_uint64(v.text());
      if (!number) return bad("uint");
      return Value::unsigned_integer(*number);
    }
    default:
      return no_overload("uint");
  }
}

Outcome to_double(const Value& v) {
  switch (v.kind()) {
    case Kind::kDouble:
      return v;
    case Kind::kInt:
      return Value::real(static_cast<double>(v.as_int()));
    case Kind::kUint:
      return Value::real(static_cast<double>(v.as_uint()));
    case Kind::kString: {
      double number = 0;
      const auto text = v.text();
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (error != std::errc() || end != text.data() + text.size()) return bad("double");
      return Value::real(number);
    }
    default:
      return no_overload("double");
  }
}

Outcome to_string(const Value& v) {
  switch (v.kind()) {
    case Kind::kString:
      return v;
    case Kind::kBool:
      return Value::string(v.as_bool() ? "true" : "false");
    case Kind::kInt:
      return Value::string(std::to_string(v.as_int()));
    case Kind::kUint:
      return Value::string(std::to_string(v.as_uint()));
    case Kind::kDouble:
      return Value::string(fmt::format("{}", v.as_double()));
    case Kind::kBytes:
      if (!is_valid_utf8(v.text())) return bad("string: the bytes are not valid UTF-8");
      return Value::string(std::string(v.text()));
    case Kind::kTimestamp:
      return Value::string(instant_text({v.seconds(), v.nanos()}));
    case Kind::kDuration:
      return Value::string(fmt::format("{}s", static_cast<double>(v.as_int()) / 1e9));
    default:
      return no_overload("string");
  }
}

Outcome to_bool(const Value& v) {
  if (v.is(Kind::kBool)) return v;
  if (!v.is(Kind::kString)) return no_overload("bool");
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (v.text() == yes) return Value::boolean(true);
  }
  for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (v.text() == no) return Value::boolean(false);
  }
  return bad("bool");
}

Outcome to_duration(const Value& v) {
  if (v.is(Kind::kDuration)) return v;
  if (!v.is(Kind::kString)) return no_overload("duration");
  const auto parsed = parse_go_duration(v.text());
  if (!parsed) return bad("duration");
  return Value::duration(parsed->count());
}

Outcome to_timestamp(const Value& v) {
  if (v.is(Kind::kTimestamp)) return v;
  if (v.is(Kind::kInt)) {
    if (v.as_int() < kFirstSecond || v.as_int() > kLastSecond) return bad("timestamp: it is out of range");
    return Value::timestamp(v.as_int(), 0);
  }
  if (!v.is(Kind::kString)) return no_overload("timestamp");
  const auto parsed = parse_instant(v.text());
  if (!parsed) return bad("timestamp");
  return Value::timestamp(parsed->seconds, parsed->nanos);
}

Outcome of_optional(Function function, std::vector<Value>& arguments) {
  if (function == Function::kOptionalNone) return Value::none();
  if (function == Function::kOptionalOf) return Value::some(std::move(arguments[0]));
  if (!arguments[0].is(Kind::kOptional)) return no_overload("optional");
  const Value* held = arguments[0].optional_value();
  switch (function) {
    case Function::kHasValue:
      return Value::boolean(held != nullptr);
    case Function::kValue:
      if (held == nullptr) return Fault{"the optional holds no value", false};
      return *held;
    case Function::kOr:
      return held != nullptr ? arguments[0] : arguments[1];
    default:
      return held != nullptr ? *held : arguments[1];
  }
}

}  // namespace

Outcome convert(Function function, const Value& v) {
  switch (function) {
    case Function::kInt:
      return to_int(v);
    case Function::kUint:
      return to_uint(v);
    case Function::kDouble:
      return to_double(v);
    case Function::kString:
      return to_string(v);
    case Function::kBool:
      return to_bool(v);
    case Function::kBytes:
      if (v.is(Kind::kBytes)) return v;
      if (!v.is(Kind::kString)) return no_overload("bytes");
      return Value::bytes(std::string(v.text()));
    case Function::kDuration:
      return to_duration(v);
    case Function::kTimestamp:
      return to_timestamp(v);
    case Function::kType:
      return Value::type(v.kind());
    default:
      return v;  // dyn
  }
}

Outcome call_time(Function function, const Value& v) {
  if (v.is(Kind::kDuration)) {
    constexpr int64_t kMilli = 1000000;
    switch (function) {
      case Function::kGetHours:
        return Value::integer(v.as_int() / (3600000 * kMilli));
      case Function::kGetMinutes:
        return Value::integer(v.as_int() / (60000 * kMilli));
      case Function::kGetSeconds:
        return Value::integer(v.as_int() / (1000 * kMilli));
      case Function::kGetMilliseconds:
        return Value::integer(v.as_int() / kMilli);
      default:
        return no_overload("duration");
    }
  }
  if (!v.is(Kind::kTimestamp)) return no_overload("timestamp");
  const auto at = calendar_of({v.seconds(), v.nanos()});
  switch (function) {
    case Function::kGetFullYear:
      return Value::integer(at.year);
    case Function::kGetMonth:
      return Value::integer(at.month);
    case Function::kGetDate:
      return Value::integer(at.day + 1);
    case Function::kGetDayOfMonth:
      return Value::integer(at.day);
    case Function::kGetDayOfWeek:
      return Value::integer(at.weekday);
    case Function::kGetDayOfYear:
      return Value::integer(at.year_day);
    case Function::kGetHours:
      return Value::integer(at.hour);
    case Function::kGetMinutes:
      return Value::integer(at.minute);
    case Function::kGetSeconds:
      return Value::integer(at.second);
    default:
      return Value::integer(at.milli);
  }
}

Outcome call_function(Function function, std::vector<Value>& arguments, const re2::RE2* pattern, Meter& meter) {
  std::vector<uint64_t> sizes;
  sizes.reserve(arguments.size());
  for (const auto& argument : arguments) sizes.push_back(argument.size());
  if (!meter.charge(call_cost(function, sizes))) return Meter::over();
  switch (function) {
    case Function::kSize:
      if (arguments[0].is(Kind::kString)) return Value::integer(static_cast<int64_t>(utf8_length(arguments[0].text())));
      if (!arguments[0].is(Kind::kBytes) && !arguments[0].is(Kind::kList) && !arguments[0].is(Kind::kMap)) {
        return no_overload("size");
      }
      return Value::integer(static_cast<int64_t>(arguments[0].size()));
    case Function::kInt:
    case Function::kUint:
    case Function::kDouble:
    case Function::kString:
    case Function::kBool:
    case Function::kBytes:
    case Function::kDuration:
    case Function::kTimestamp:
    case Function::kType:
    case Function::kDyn:
      return convert(function, arguments[0]);
    case Function::kOptionalOf:
    case Function::kOptionalNone:
    case Function::kHasValue:
    case Function::kValue:
    case Function::kOr:
    case Function::kOrValue:
      return of_optional(function, arguments);
    case Function::kMin:
    case Function::kMax:
    case Function::kSum:
    case Function::kIsSorted:
    case Function::kJoin:
    case Function::kSetsContains:
    case Function::kSetsEquivalent:
    case Function::kSetsIntersects:
      return call_list(function, arguments, meter);
    case Function::kIndexOf:
    case Function::kLastIndexOf:
      if (arguments[0].is(Kind::kList)) return call_list(function, arguments, meter);
      return call_text(function, arguments, pattern, meter);
    default:
      break;
  }
  if (function >= Function::kQuantity) return call_quantity(function, arguments);
  if (function >= Function::kGetFullYear && function <= Function::kGetMilliseconds)
    return call_time(function, arguments[0]);
  return call_text(function, arguments, pattern, meter);
}

}  // namespace chandler::cel
