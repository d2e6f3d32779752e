#include "cel/function.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"

namespace chandler::cel {
namespace {

using F = Function;

constexpr auto kOverloads = std::to_array<Overload>({
    {"size", F::kSize, false, "s:i"},
    {"size", F::kSize, false, "y:i"},
    {"size", F::kSize, false, "L:i"},
    {"size", F::kSize, false, "M:i"},
    {"size", F::kSize, true, "s:i"},
    {"size", F::kSize, true, "y:i"},
    {"size", F::kSize, true, "L:i"},
    {"size", F::kSize, true, "M:i"},
    {"contains", F::kContains, true, "ss:b"},
    {"startsWith", F::kStartsWith, true, "ss:b"},
    {"endsWith", F::kEndsWith, true, "ss:b"},
    {"matches", F::kMatches, true, "ss:b"},
    {"matches", F::kMatches, false, "ss:b"},
    {"find", F::kFind, true, "ss:s"},
    {"findAll", F::kFindAll, true, "ss:S"},
    {"findAll", F::kFindAll, true, "ssi:S"},
    {"lowerAscii", F::kLowerAscii, true, "s:s"},
    {"upperAscii", F::kUpperAscii, true, "s:s"},
    {"trim", F::kTrim, true, "s:s"},
    {"split", F::kSplit, true, "ss:S"},
    {"split", F::kSplit, true, "ssi:S"},
    {"join", F::kJoin, true, "S:s"},
    {"join", F::kJoin, true, "Ss:s"},
    {"replace", F::kReplace, true, "sss:s"},
    {"replace", F::kReplace, true, "sssi:s"},
    {"substring", F::kSubstring, true, "si:s"},
    {"substring", F::kSubstring, true, "sii:s"},
    {"indexOf", F::kIndexOf, true, "ss:i"},
    {"indexOf", F::kIndexOf, true, "ssi:i"},
    {"indexOf", F::kIndexOf, true, "LA:i"},
    {"lastIndexOf", F::kLastIndexOf, true, "ss:i"},
    {"lastIndexOf", F::kLastIndexOf, true, "ssi:i"},
    {"lastIndexOf", F::kLastIndexOf, true, "LA:i"},
    {"charAt", F::kCharAt, true, "si:s"},
    {"format", F::kFormat, true, "sL:s"},
    {"min", F::kMin, true, "L:A"},
    {"max", F::kMax, true, "L:A"},
    {"sum", F::kSum, true, "L:A"},
    {"isSorted", F::kIsSorted, true, "L:b"},
    {"sets.contains", F::kSetsContains, false, "LL:b"},
    {"sets.equivalent", F::kSetsEquivalent, false, "LL:b"},
    {"sets.intersects", F::kSetsIntersects, false, "LL:b"},
    {"int", F::kInt, false, "i:i"},
    {"int", F::kInt, false, "u:i"},
    {"int", F::kInt, false, "d:i"},
    {"int", F::kInt, false, "s:i"},
    {"int", F::kInt, false, "t:i"},
    {"uint", F::kUint, false, "u:u"},
    {"uint", F::kUint, false, "i:u"},
    {"uint", F::kUint, false, "d:u"},
    {"uint", F::kUint, false, "s:u"},
    {"double", F::kDouble, false, "d:d"},
    {"double", F::kDouble, false, "i:d"},
    {"double", F::kDouble, false, "u:d"},
    {"double", F::kDouble, false, "s:d"},
    {"string", F::kString, false, "s:s"},
    {"string", F::kString, false, "b:s"},
    {"string", F::kString, false, "i:s"},
    {"string", F::kString, false, "u:s"},
    {"string", F::kString, false, "d:s"},
    {"string", F::kString, false, "y:s"},
    {"string", F::kString, false, "t:s"},
    {"string", F::kString, false, "r:s"},
    {"bool", F::kBool, false, "b:b"},
    {"bool", F::kBool, false, "s:b"},
    {"bytes", F::kBytes, false, "y:y"},
    {"bytes", F::kBytes, false, "s:y"},
    {"duration", F::kDuration, false, "r:r"},
    {"duration", F::kDuration, false, "s:r"},
    {"timestamp", F::kTimestamp, false, "t:t"},
    {"timestamp", F::kTimestamp, false, "s:t"},
    {"timestamp", F::kTimestamp, false, "i:t"},
    {"type", F::kType, false, "*:T"},
    {"dyn", F::kDyn, false, "*:*"},
    {"getFullYear", F::kGetFullYear, true, "t:i"},
    {"getMonth", F::kGetMonth, true, "t:i"},
    {"getDate", F::kGetDate, true, "t:i"},
    {"getDayOfMonth", F::kGetDayOfMonth, true, "t:i"},
    {"getDayOfWeek", F::kGetDayOfWeek, true, "t:i"},
    {"getDayOfYear", F::kGetDayOfYear, true, "t:i"},
    {"getHours", F::kGetHours, true, "t:i"},
    {"getHours", F::kGetHours, true, "r:i"},
    {"getMinutes", F::kGetMinutes, true, "t:i"},
    {"getMinutes", F::kGetMinutes, true, "r:i"},
    {"getSeconds", F::kGetSeconds, true, "t:i"},
    {"getSeconds", F::kGetSeconds, true, "r:i"},
    {"getMilliseconds", F::kGetMilliseconds, true, "t:i"},
    {"getMilliseconds", F::kGetMilliseconds, true, "r:i"},
    {"optional.of", F::kOptionalOf, false, "A:O"},
    {"optional.none", F::kOptionalNone, false, ":O"},
    {"hasValue", F::kHasValue, true, "O:b"},
    {"value", F::kValue, true, "O:A"},
    {"or", F::kOr, true, "OO:O"},
    {"orValue", F::kOrValue, true, "OA:A"},
    {"quantity", F::kQuantity, false, "s:q"},
    {"isQuantity", F::kIsQuantity, false, "s:b"},
    {"isInteger", F::kIsInteger, true, "q:b"},
    {"asInteger", F::kAsInteger, true, "q:i"},
    {"asApproximateFloat", F::kAsApproximateFloat, true, "q:d"},
    {"sign", F::kSign, true, "q:i"},
    {"isLessThan", F::kIsLessThan, true, "qq:b"},
    {"isGreaterThan", F::kIsGreaterThan, true, "qq:b"},
    {"compareTo", F::kCompareTo, true, "qq:i"},
    {"add", F::kAdd, true, "qq:q"},
    {"add", F::kAdd, true, "qi:q"},
    {"sub", F::kSub, true, "qq:q"},
    {"sub", F::kSub, true, "qi:q"},
});

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

uint64_t bytes_cost(uint64_t bytes) { return bytes / kBytesPerUnit + 1; }

uint64_t size_at(std::span<const uint64_t> sizes, size_t i) { return i < sizes.size() ? sizes[i] : 0; }

}  // namespace

std::span<const Overload> overloads() { return kOverloads; }

uint64_t saturating_add(uint64_t a, uint64_t b) { return a > kMost - b ? kMost : a + b; }
uint64_t saturating_multiply(uint64_t a, uint64_t b) { return a != 0 && b > kMost / a ? kMost : a * b; }

uint64_t pattern_cost(uint64_t bytes) { return saturating_add(1000, saturating_multiply(bytes, kBytesPerUnit)); }

std::string bad_pattern(std::string_view pattern, std::string_view why) {
  return fmt::format("the regular expression {} is bad: {}", quoted(pattern), why);
}

uint64_t call_cost(Function function, std::span<const uint64_t> sizes) {
  const uint64_t a = size_at(sizes, 0);
  const uint64_t b = size_at(sizes, 1);
  switch (function) {
    case F::kStartsWith:
    case F::kEndsWith:
      return bytes_cost(std::min(a, b));
    case F::kContains:
    case F::kMatches:
    case F::kFind:
    case F::kFindAll:
      // A pattern that is short costs at least something per byte of the text.
      return saturating_multiply(bytes_cost(a), b / 4 + 1);
    case F::kIndexOf:
    case F::kLastIndexOf:
      return saturating_multiply(bytes_cost(a), bytes_cost(b));
    case F::kSplit:
    case F::kReplace:
      // Looking for a long text compares much of it at every place.
      return saturating_add(saturating_multiply(bytes_cost(a), bytes_cost(b)),
                            bytes_cost(result_size(function, sizes)));
    case F::kSize:
    case F::kLowerAscii:
    case F::kUpperAscii:
    case F::kTrim:
    case F::kSubstring:
    case F::kCharAt:
    case F::kInt:
    case F::kUint:
    case F::kDouble:
    case F::kString:
    case F::kBytes:
    case F::kDuration:
    case F::kTimestamp:
    case F::kQuantity:
    case F::kIsQuantity:
      return bytes_cost(a);
    case F::kMin:
    case F::kMax:
    case F::kSum:
    case F::kIsSorted:
    case F::kJoin:
    case F::kFormat:
      return saturating_add(1, saturating_add(a, b));
    case F::kSetsContains:
    case F::kSetsEquivalent:
    case F::kSetsIntersects:
      return saturating_add(1, saturating_multiply(a, b));
    default:
      return 1;
  }
}

uint64_t result_size(Function function, std::span<const uint64_t> sizes) {
  const uint64_t a = size_at(sizes, 0);
  switch (function) {
    case F::kReplace:
      // An empty text to look for is found around every character.
      return saturating_add(a, saturating_multiply(saturating_add(a, 1), size_at(sizes, 2)));
    case F::kSplit:
    case F::kFindAll:
      return saturating_add(a, 1);
    case F::kString:
    case F::kBytes:
      return std::max<uint64_t>(a, 64);
    default:
      return a;
  }
}

}  // namespace chandler::cel
