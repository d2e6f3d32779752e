#include "http/ip_network.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/text.h"

namespace chandler::http {
namespace {

unsigned width_of(const IpAddress& address) { return address.is_v4 ? 32 : 128; }

IpAddress first_of(IpAddress address, unsigned bits) {
  for (unsigned bit = bits; bit < width_of(address); ++bit) {
    address.bytes[bit / 8] = static_cast<uint8_t>(address.bytes[bit / 8] & ~(0x80U >> bit % 8));
  }
  return address;
}

constexpr IpNetwork kMapped{v6({0, 0, 0, 0, 0, 0xFFFF, 0, 0}), 96};

struct Wrapping {
  IpNetwork network;
  size_t offset;  // of the IPv4 address
  bool is_inverted = false;
};

constexpr Wrapping kWrappings[] = {
    {kMapped, 12},
    {{v6({0, 0, 0, 0, 0xFFFF, 0, 0, 0}), 96}, 12},        // translated, RFC 2765
    {{v6({0x64, 0xFF9B, 0, 0, 0, 0, 0, 0}), 96}, 12},     // NAT64, RFC 6052
    {{v6({0x64, 0xFF9B, 1, 0, 0, 0, 0, 0}), 48}, 12},     // NAT64 of a site, RFC 8215; most use a /96 of it
    {{v6({0, 0, 0, 0, 0, 0, 0, 0}), 96}, 12},             // compatible, RFC 4291
    {{v6({0x2002, 0, 0, 0, 0, 0, 0, 0}), 16}, 2},         // 6to4, RFC 3056
    {{v6({0x2001, 0, 0, 0, 0, 0, 0, 0}), 32}, 12, true},  // Teredo, RFC 4380: the client's address
};

IpAddress v4_at(const IpAddress& address, size_t offset) {
  return v4(address.bytes[offset], address.bytes[offset + 1], address.bytes[offset + 2], address.bytes[offset + 3]);
}

}  // namespace

std::optional<IpAddress> IpAddress::read(const sockaddr& address) {
  IpAddress out;
  if (address.sa_family == AF_INET) {
    sockaddr_in found{};
    std::memcpy(&found, &address, sizeof found);
    out.is_v4 = true;
    std::memcpy(out.bytes.data(), &found.sin_addr, sizeof found.sin_addr);
    return out;
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 found{};
    std::memcpy(&found, &address, sizeof found);
    std::memcpy(out.bytes.data(), &found.sin6_addr, out.bytes.size());
    return out;
  }
  return std::nullopt;
}

std::optional<IpAddress> IpAddress::parse(std::string_view numeric) {
  const std::string text(numeric);
  IpAddress out;
  if (::inet_pton(AF_INET6, text.c_str(), out.bytes.data()) == 1) return out;
  out = {true, {}};
  if (::inet_pton(AF_INET, text.c_str(), out.bytes.data()) == 1) return out;
  return std::nullopt;
}

std::optional<IpAddress> IpAddress::wrapped() const {
  for (const Wrapping& wrapping : kWrappings) {
    if (!wrapping.network.contains(*this)) continue;
    IpAddress found = v4_at(*this, wrapping.offset);
    if (wrapping.is_inverted) {
      std::transform(found.bytes.begin(), found.bytes.begin() + 4, found.bytes.begin(),
                     [](uint8_t byte) { return static_cast<uint8_t>(~byte); });
    }
    return found;
  }
  return std::nullopt;
}

std::string IpAddress::text() const {
  std::array<char, INET6_ADDRSTRLEN> out{};
  CH_CHECK(::inet_ntop(is_v4 ? AF_INET : AF_INET6, bytes.data(), out.data(), out.size()) != nullptr);
  return out.data();
}

Result<IpNetwork> IpNetwork::parse(std::string_view cidr) {
  const size_t slash = cidr.find('/');
  const auto address = IpAddress::parse(cidr.substr(0, slash));
  if (!address) {
    return bad_request(fmt::format("{} is not an IP network; use, for example, 10.0.0.0/8 or fd00::/8", quoted(cidr)));
  }
  const unsigned width = width_of(*address);
  if (slash == std::string_view::npos) {
    return bad_request(
        fmt::format("{} has no prefix length; use {}/{} for this one address", quoted(cidr), address->text(), width));
  }
  const auto bits = parse_uint64(cidr.substr(slash + 1));
  if (!bits || *bits > width) {
    return bad_request(fmt::format("{} has an invalid prefix length; use a number from 0 to {}", quoted(cidr), width));
  }
  const IpNetwork network{first_of(*address, static_cast<unsigned>(*bits)), static_cast<unsigned>(*bits)};
  // As an IPv6 network it would not hold the IPv4 addresses that are meant.
  if (kMapped.contains(network.address) && network.bits >= kMapped.bits) {
    const IpNetwork meant{v4_at(network.address, 12), network.bits - kMapped.bits};
    return bad_request(fmt::format("{} is an IPv4 network in the form of IPv6; use {}", quoted(cidr), meant.text()));
  }
  if (network.address != *address) {
    return bad_request(fmt::format("{} has host bits set; use {}", quoted(cidr), network.text()));
  }
  return network;
}

bool IpNetwork::contains(const IpAddress& candidate) const {
  return candidate.is_v4 == address.is_v4 && first_of(candidate, bits) == address;
}

std::string IpNetwork::text() const { return fmt::format("{}/{}", address.text(), bits); }

}  // namespace chandler::http
