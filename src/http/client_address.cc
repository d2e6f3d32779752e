#include "http/client_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

namespace chandler::http {
namespace {

using V6 = std::array<uint8_t, 16>;

bool is_public_v4(uint32_t a) {
  const uint32_t first = a >> 24;
  if (first == 0 || first == 127) return false;  // this host
  if ((a >> 16) == 0xA9FE) return false;         // 169.254.0.0/16, link-local
  return first < 224 || first >= 240 ? a != 0xFFFFFFFF : false;
}

uint32_t v4_at(const V6& a, size_t at) {
  return uint32_t{a[at]} << 24 | uint32_t{a[at + 1]} << 16 | uint32_t{a[at + 2]} << 8 | uint32_t{a[at + 3]};
}

bool starts_with(const V6& a, const V6& prefix, size_t bytes) {
  return std::memcmp(a.data(), prefix.data(), bytes) == 0;
}

bool is_public_v6(const V6& a) {
  if (a[0] == 0xFF) return false;                           // multicast
  if (a[0] == 0xFE && (a[1] & 0xC0) == 0x80) return false;  // link-local
  static constexpr V6 kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  static constexpr V6 kTranslated{0, 0x64, 0xFF, 0x9B};
  static constexpr V6 kZero{};
  if (starts_with(a, kMapped, 12) || starts_with(a, kTranslated, 12)) return is_public_v4(v4_at(a, 12));
  if (starts_with(a, kZero, 12)) return is_public_v4(v4_at(a, 12));    // "::", "::1" and the old compatible form
  if (a[0] == 0x20 && a[1] == 0x02) return is_public_v4(v4_at(a, 2));  // 6to4
  return true;
}

}  // namespace

bool is_public_address(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    return is_public_v4(ntohl(v4.sin_addr.s_addr));
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof v6);
    V6 bytes{};
    std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
    return is_public_v6(bytes);
  }
  return false;
}

bool is_public_address(std::string_view numeric) {
  const std::string text(numeric);
  in_addr v4{};
  if (::inet_pton(AF_INET, text.c_str(), &v4) == 1) return is_public_v4(ntohl(v4.s_addr));
  V6 v6{};
  return ::inet_pton(AF_INET6, text.c_str(), v6.data()) == 1 && is_public_v6(v6);
}

}  // namespace chandler::http
