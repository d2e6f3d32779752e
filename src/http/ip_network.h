// IP addresses and networks (CIDR ranges) as plain values, for deciding where a request may go. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

struct sockaddr;

namespace chandler::http {

struct IpAddress {
  bool is_v4 = false;
  std::array<uint8_t, 16> bytes{};  // in network order; IPv4 uses the first four

  // nullopt: not an IP address.
  static std::optional<IpAddress> read(const sockaddr& address);
  static std::optional<IpAddress> parse(std::string_view numeric);  // "10.0.0.1", "::1"; no brackets, no zone

  // The IPv4 address that an IPv6 address only wraps (mapped, NAT64, 6to4, Teredo, ...), if it does.
  std::optional<IpAddress> wrapped() const;
  std::string text() const;
  bool operator==(const IpAddress&) const = default;
};

constexpr IpAddress v4(uint8_t a, uint8_t b, uint8_t c, uint8_t d) { return {true, {a, b, c, d}}; }
constexpr IpAddress v6(const std::array<uint16_t, 8>& groups) {
  IpAddress address;
  for (size_t i = 0; i < groups.size(); ++i) {
    address.bytes[2 * i] = static_cast<uint8_t>(groups[i] >> 8);
    address.bytes[2 * i + 1] = static_cast<uint8_t>(groups[i] & 0xFF);
  }
  return address;
}

struct IpNetwork {
  IpAddress address;  // its first one
  unsigned bits = 0;  // of the prefix: up to 32 or 128

  // An error quotes the text and says what to write instead.
  static Result<IpNetwork> parse(std::string_view cidr);

  // Only addresses of the same family are in a network; ask again for the wrapped one.
  bool contains(const IpAddress& candidate) const;
  std::string text() const;
};

}  // namespace chandler::http
