// Which addresses a request may go to. A URL that a user wrote must not make this process talk to itself, to its
// neighbours on the link, to a cloud's metadata service or to a network that the operator denies. The client asks with
// the address that it connects to, after the name was resolved. Immutable, so shared between threads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/ip_network.h"

namespace chandler::http {

class AddressRules {
 public:
  // What a refused user can do, said behind the reason; empty: nothing is said.
  struct Hints {
    std::string local;
    std::string denied;
  };

  AddressRules() = default;  // no local address, no metadata service, any other

  // `denied` is a list of networks with commas between them; "private" stands for those of private use. With
  // `allow_local` addresses of this machine and its link are allowed. Metadata services never are. An error quotes the
  // entry and says what to write instead.
  static Result<AddressRules> parse(std::string_view denied, bool allow_local, Hints hints);

  // Why the address is not allowed, without naming it; empty: it is allowed. An IPv6 address that only wraps an IPv4
  // address is judged as both. What is not an IP address is not allowed.
  std::string refusal(const sockaddr& address) const;
  std::string refusal(std::string_view numeric) const;  // "10.0.0.1", "::1"

 private:
  std::string refusal(const IpAddress& address) const;

  std::vector<IpNetwork> denied_;
  bool allow_local_ = false;
  Hints hints_;
};

}  // namespace chandler::http
