#include "http/address_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"

namespace chandler::http {
namespace {

// They hand out credentials of this machine. Those with link-local addresses are refused even when link-local
// addresses are allowed.
constexpr IpAddress kMetadataServices[] = {
    v4(169, 254, 169, 254),                          // AWS, Azure, Google Cloud, Oracle, OpenStack and most others
    v4(169, 254, 170, 2),                            // AWS ECS: credentials of a task
    v4(169, 254, 170, 23),                           // AWS EKS: credentials of a pod
    v4(169, 254, 0, 23),                             // Tencent Cloud
    v4(169, 254, 42, 42),                            // Scaleway
    v4(100, 100, 100, 200),                          // Alibaba Cloud
    v4(168, 63, 129, 16),                            // Azure WireServer
    v4(192, 0, 0, 192),                              // Oracle Cloud Classic
    v6({0xFD00, 0xEC2, 0, 0, 0, 0, 0, 0x254}),       // AWS
    v6({0xFD00, 0xEC2, 0, 0, 0, 0, 0, 0x23}),        // AWS EKS
    v6({0xFD20, 0xCE, 0, 0, 0, 0, 0, 0x254}),        // Google Cloud
    v6({0xFE80, 0, 0, 0, 0, 0, 0xA9FE, 0xA9FE}),     // OpenStack, Akamai
    v6({0xFD00, 0xA9FE, 0xA9FE, 0, 0, 0, 0, 1}),     // Akamai
    v6({0xFD00, 0xC1, 0, 0, 0, 0, 0xA9FE, 0xA9FE}),  // Oracle Cloud
    v6({0xFD00, 0x42, 0, 0, 0, 0, 0, 0x42}),         // Scaleway
    v6({0xFD00, 0x100, 0, 0, 0, 0, 0x100, 0x200}),   // Alibaba Cloud
};

struct Local {
  IpNetwork network;
  std::string_view reason;
};

constexpr Local kLocal[] = {
    {{v4(127, 0, 0, 0), 8}, "it is a loopback address"},
    {{v4(0, 0, 0, 0), 8}, "it is an unspecified address"},  // most systems take it for themselves
    {{v4(169, 254, 0, 0), 16}, "it is a link-local address"},
    {{v4(224, 0, 0, 0), 4}, "it is a multicast address"},
    {{v4(255, 255, 255, 255), 32}, "it is a broadcast address"},
    {{v6({0, 0, 0, 0, 0, 0, 0, 1}), 128}, "it is a loopback address"},
    {{v6({0, 0, 0, 0, 0, 0, 0, 0}), 128}, "it is an unspecified address"},
    {{v6({0xFE80, 0, 0, 0, 0, 0, 0, 0}), 10}, "it is a link-local address"},
    {{v6({0xFF00, 0, 0, 0, 0, 0, 0, 0}), 8}, "it is a multicast address"},
};

constexpr IpNetwork kPrivate[] = {
    {v4(10, 0, 0, 0), 8},                    // RFC 1918
    {v4(172, 16, 0, 0), 12},                 // RFC 1918
    {v4(192, 168, 0, 0), 16},                // RFC 1918
    {v4(100, 64, 0, 0), 10},                 // shared by customers of a provider, RFC 6598; pods of some clouds
    {v6({0xFC00, 0, 0, 0, 0, 0, 0, 0}), 7},  // unique local, RFC 4193
};

bool is_metadata_service(const IpAddress& address) {
  if (std::find(std::begin(kMetadataServices), std::end(kMetadataServices), address) != std::end(kMetadataServices)) {
    return true;
  }
  const auto wrapped = address.wrapped();
  return wrapped && is_metadata_service(*wrapped);
}

std::string_view local_reason(const IpAddress& address) {
  const auto* const row = std::find_if(std::begin(kLocal), std::end(kLocal),
                                       [&](const Local& local) { return local.network.contains(address); });
  return row == std::end(kLocal) ? std::string_view() : row->reason;
}

std::string with_hint(std::string_view reason, const std::string& hint) {
  return hint.empty() ? std::string(reason) : fmt::format("{}; {}", reason, hint);
}

}  // namespace

Result<AddressRules> AddressRules::parse(std::string_view denied, bool allow_local, Hints hints) {
  AddressRules rules;
  rules.allow_local_ = allow_local;
  rules.hints_ = std::move(hints);
  if (trim(denied).empty()) return rules;
  for (const auto piece : split(denied, ',')) {
    const auto entry = trim(piece);
    if (entry == "private") {
      rules.denied_.insert(rules.denied_.end(), std::begin(kPrivate), std::end(kPrivate));
      continue;
    }
    CH_TRY_LET(network, IpNetwork::parse(entry));
    rules.denied_.push_back(network);
  }
  return rules;
}

std::string AddressRules::refusal(const sockaddr& address) const {
  const auto found = IpAddress::read(address);
  return found ? refusal(*found) : "it is not an IP address";
}

std::string AddressRules::refusal(std::string_view numeric) const {
  const auto found = IpAddress::parse(numeric);
  return found ? refusal(*found) : "it is not an IP address";
}

std::string AddressRules::refusal(const IpAddress& address) const {
  // What no flag of the operator allows comes first: a hint at one would mislead.
  if (is_metadata_service(address)) return "it is a cloud metadata service";
  const bool is_denied =
      std::any_of(denied_.begin(), denied_.end(), [&](const IpNetwork& network) { return network.contains(address); });
  if (is_denied) return with_hint("its network is denied", hints_.denied);
  const auto local = allow_local_ ? std::string_view() : local_reason(address);
  if (!local.empty()) return with_hint(local, hints_.local);
  const auto wrapped = address.wrapped();
  return wrapped ? refusal(*wrapped) : std::string();
}

}  // namespace chandler::http
