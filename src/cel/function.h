// The functions that expressions may call: names, signatures, and what a call costs. One table: what is not in it is
// refused when a rule is compiled. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace chandler::cel {

enum class Function : uint8_t {
  kNone,
  kSize,
  kContains,
  kStartsWith,
  kEndsWith,
  kMatches,
  kFind,
  kFindAll,
  kLowerAscii,
  kUpperAscii,
  kTrim,
  kSplit,
  kJoin,
  kReplace,
  kSubstring,
  kIndexOf,
  kLastIndexOf,
  kCharAt,
  kFormat,
  kMin,
  kMax,
  kSum,
  kIsSorted,
  kSetsContains,
  kSetsEquivalent,
  kSetsIntersects,
  kInt,
  kUint,
  kDouble,
  kString,
  kBool,
  kBytes,
  kDuration,
  kTimestamp,
  kType,
  kDyn,
  kGetFullYear,
  kGetMonth,
  kGetDate,
  kGetDayOfMonth,
  kGetDayOfWeek,
  kGetDayOfYear,
  kGetHours,
  kGetMinutes,
  kGetSeconds,
  kGetMilliseconds,
  kOptionalOf,
  kOptionalNone,
  kHasValue,
  kValue,
  kOr,
  kOrValue,
  kQuantity,
  kIsQuantity,
  kIsInteger,
  kAsInteger,
  kAsApproximateFloat,
  kSign,
  kIsLessThan,
  kIsGreaterThan,
  kCompareTo,
  kAdd,
  kSub,
};

// A way to call a function. The signature has a letter per argument, the receiver first, then ':' and the result:
//   b bool, i int, u uint, d double, s string, y bytes, t timestamp, r duration, q quantity, T type, * anything
//   L list of A, S list of string, M map, O optional of A, A whatever A is in the other arguments
struct Overload {
  std::string_view name;  // "size", "sets.contains"
  Function function = Function::kNone;
  bool method = false;
  std::string_view signature;
};

std::span<const Overload> overloads();

// Estimates and evaluation ask the same question, the one with the largest sizes possible, the other with the real
// ones. A size is the bytes of a text, the items of a list or map, 1 for others. Sums do not overflow.
uint64_t call_cost(Function function, std::span<const uint64_t> sizes);
// The largest size that the result may have.
uint64_t result_size(Function function, std::span<const uint64_t> sizes);

// Compiling a pattern that is no constant, by its bytes: far dearer than running it over a byte.
uint64_t pattern_cost(uint64_t bytes);
// The fault of a pattern that RE2 does not take.
std::string bad_pattern(std::string_view pattern, std::string_view why);

uint64_t saturating_add(uint64_t a, uint64_t b);
uint64_t saturating_multiply(uint64_t a, uint64_t b);

// What is linear in the bytes of a text costs a unit for ten of them.
constexpr uint64_t kBytesPerUnit = 10;
// What only reads the bytes of a text, such as hashing it or looking for a pattern, reads this many in the time that a
// unit stands for.
constexpr uint64_t kSearchedPerUnit = 128;

}  // namespace chandler::cel
