// Kubernetes quantities: 1Gi, 500m, 1e3, 0.5. Exact: kept as a whole number of billionths, no floating point. As in
// Kubernetes, finer parts are rounded away from zero and values beyond 2^63-1 are cut to it. A plain value.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace chandler::meta {

class Quantity {
 public:
  __extension__ using Nanos = __int128;
  enum class Notation { kDecimal, kBinary, kExponent };  // 500m, 1Gi, 1e3

  Quantity() = default;
  Quantity(Nanos nanos, Notation notation) : nanos_(nanos), notation_(notation) {}

  Nanos nanos() const { return nanos_; }
  bool is_zero() const { return nanos_ == 0; }
  bool is_negative() const { return nanos_ < 0; }
  std::string str() const;  // canonical: the largest suffix that keeps a whole number

  // By amount; the notation does not count.
  bool operator==(const Quantity& other) const { return nanos_ == other.nanos_; }
  std::strong_ordering operator<=>(const Quantity& other) const { return nanos_ <=> other.nanos_; }

 private:
  Nanos nanos_ = 0;
  Notation notation_ = Notation::kDecimal;
};

std::optional<Quantity> parse_quantity(std::string_view text);

}  // namespace chandler::meta
