#include "meta/quantity.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include <boost/multiprecision/cpp_int.hpp>

#include "base/text.h"

namespace chandler::meta {
namespace {

using Nanos = Quantity::Nanos;
using Notation = Quantity::Notation;
// Without expression templates: a few small sums need none.
using Big = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>, boost::multiprecision::et_off>;

constexpr Nanos kNanosPerUnit = 1'000'000'000;
constexpr Nanos kMaxNanos = Nanos{std::numeric_limits<int64_t>::max()} * kNanosPerUnit;
// Longer texts and larger exponents say nothing more: the result is cut to the limits above anyway.
constexpr size_t kMaxText = 256;
constexpr int64_t kMaxExponent = 400;

constexpr std::array<std::string_view, 10> kDecimalSuffixes = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
constexpr std::array<std::string_view, 7> kBinarySuffixes = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

struct Scale {
  Notation notation = Notation::kDecimal;
  int64_t power_of_ten = 0;
  unsigned power_of_two = 0;
};

std::optional<Scale> parse_suffix(std::string_view suffix) {
  const auto decimal = std::find(kDecimalSuffixes.begin(), kDecimalSuffixes.end(), suffix);
  if (decimal != kDecimalSuffixes.end()) {
    return Scale{Notation::kDecimal, 3 * ((decimal - kDecimalSuffixes.begin()) - 3), 0};
  }
  const auto binary = std::find(kBinarySuffixes.begin(), kBinarySuffixes.end(), suffix);
  if (binary != kBinarySuffixes.end()) {
    return Scale{Notation::kBinary, 0, static_cast<unsigned>(10 * (binary - kBinarySuffixes.begin()))};
  }
  if (suffix[0] != 'e' && suffix[0] != 'E') return std::nullopt;
  suffix.remove_prefix(1);
  if (suffix.starts_with('+') && !suffix.starts_with("+-")) suffix.remove_prefix(1);
  const auto exponent = parse_int64(suffix);
  if (!exponent) return std::nullopt;
  return Scale{Notation::kExponent, std::clamp(*exponent, -kMaxExponent, kMaxExponent), 0};
}

Big power_of_ten(int64_t exponent) { return boost::multiprecision::pow(Big(10), static_cast<unsigned>(exponent)); }

std::string decimal_text(Nanos value) {
  if (value == 0) return "0";
  const bool negative = value < 0;
  std::string digits;
  for (Nanos rest = negative ? -value : value; rest != 0; rest /= 10) {
    digits.push_back(static_cast<char>('0' + static_cast<int>(rest % 10)));
  }
  if (negative) digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace

std::optional<Quantity> parse_quantity(std::string_view text) {
  if (text.empty() || text.size() > kMaxText) return std::nullopt;
  const bool negative = text[0] == '-';
  if (negative || text[0] == '+') text.remove_prefix(1);

  Big mantissa = 0;
  int64_t fraction_digits = 0;
  bool any_digit = false;
  bool after_point = false;
  size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !after_point) {
      after_point = true;
    } else if (c >= '0' && c <= '9') {
      mantissa = mantissa * 10 + (c - '0');
      any_digit = true;
      if (after_point) ++fraction_digits;
    } else {
      break;
    }
  }
  if (!any_digit) return std::nullopt;
  const auto scale = parse_suffix(text.substr(at));
  if (!scale) return std::nullopt;

  Big amount = mantissa << scale->power_of_two;
  const int64_t exponent = scale->power_of_ten + 9 - fraction_digits;
  if (exponent >= 0) {
    amount *= power_of_ten(exponent);
  } else {
    const Big divisor = power_of_ten(-exponent);
    amount = (amount + divisor - 1) / divisor;  // something asked for never becomes nothing
  }
  const Nanos nanos = amount > Big(kMaxNanos) ? kMaxNanos : amount.convert_to<Nanos>();
  return Quantity(negative ? -nanos : nanos, scale->notation);
}

std::string Quantity::str() const {
  const Nanos units = nanos_ / kNanosPerUnit;
  const bool whole = units * kNanosPerUnit == nanos_;
  if (notation_ == Notation::kBinary && whole && (units >= 1024 || units <= -1024)) {
    Nanos value = units;
    size_t suffix = 0;
    while (suffix + 1 < kBinarySuffixes.size() && value % 1024 == 0) {
      value /= 1024;
      ++suffix;
    }
    return decimal_text(value).append(kBinarySuffixes[suffix]);
  }
  if (nanos_ == 0) return "0";
  Nanos value = nanos_;
  size_t suffix = 0;
  while (suffix + 1 < kDecimalSuffixes.size() && value % 1000 == 0) {
    value /= 1000;
    ++suffix;
  }
  std::string text = decimal_text(value);
  if (notation_ != Notation::kExponent) return text.append(kDecimalSuffixes[suffix]);
  const int exponent = 3 * (static_cast<int>(suffix) - 3);
  return exponent == 0 ? text : text.append("e").append(std::to_string(exponent));
}

}  // namespace chandler::meta
