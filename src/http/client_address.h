// Which addresses a request with `public_addresses_only` may go to. A URL that a user wrote must not make this process
// talk to itself, to its neighbours on the link or to a cloud's metadata service. Private networks are allowed: brokers
// live there. Pure.
#pragma once

#include <string_view>

struct sockaddr;

namespace chandler::http {

// False for loopback, link-local, unspecified, multicast and broadcast, also when an IPv6 address only wraps such an
// IPv4 address, and for everything that is no IP address.
bool is_public_address(const sockaddr& address);
bool is_public_address(std::string_view numeric);  // "10.0.0.1", "::1"

}  // namespace chandler::http
