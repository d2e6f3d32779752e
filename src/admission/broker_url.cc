#include "admission/broker_url.h"

#include <algorithm>

#include "base/text.h"

namespace chandler::admission {
namespace {

constexpr std::string_view kSeparator = "://";
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kDigits = "0123456789";

bool made_of(std::string_view text, std::string_view a, std::string_view b, std::string_view c) {
  return std::all_of(text.begin(), text.end(),
                     [&](char ch) { return a.find(ch) != a.npos || b.find(ch) != b.npos || c.find(ch) != c.npos; });
}

std::string authority_fault(std::string_view authority) {
  std::string_view port;
  bool has_port = false;
  std::string_view host = authority;
  if (authority.starts_with('[')) {
    const auto end = authority.find(']');
    if (end == authority.npos) return "the address in brackets is not closed";
    host = authority.substr(1, end - 1);
    if (!made_of(host, kDigits, "abcdefABCDEF", ":.")) return "the address in brackets is not an IPv6 address";
    const auto rest = authority.substr(end + 1);
    if (!rest.empty() && rest.front() != ':') return "only a port may follow the address in brackets";
    has_port = !rest.empty();
    if (has_port) port = rest.substr(1);
  } else {
    const auto colon = authority.find(':');
    host = authority.substr(0, colon);
    has_port = colon != authority.npos;
    if (has_port) port = authority.substr(colon + 1);
    if (!made_of(host, kLetters, kDigits, "-._")) return "the host may hold letters, digits, '-', '.' and '_' only";
  }
  if (host.empty()) return "has no host; write it as https://broker.example.com";
  if (!has_port) return "";
  const auto number = parse_uint64(port);
  if (!number || *number == 0 || *number > 65535) return "the port must be a number from 1 to 65535";
  return "";
}

}  // namespace

std::string broker_url_fault(std::string_view url) {
  const auto separator = url.find(kSeparator);
  const auto scheme = separator == url.npos ? std::string() : to_lower(url.substr(0, separator));
  if (scheme != "http" && scheme != "https") return "must start with http:// or https://";
  if (std::any_of(url.begin(), url.end(), [](char c) { return c <= ' ' || c > '~'; })) {
    return "must not hold blanks, control or non-ASCII characters; write them in %-escapes";
  }
  const auto rest = url.substr(separator + kSeparator.size());
  const auto authority = rest.substr(0, rest.find_first_of("/?#"));
  if (authority.find('@') != authority.npos) {
    return "must not hold a user name or password; put them into a secret and refer to it by spec.authInfo";
  }
  if (rest.find_first_of("?#") != rest.npos) return "must end before a query or fragment: paths are appended to it";
  return authority_fault(authority);
}

std::string shown_url(std::string_view url) {
  const auto at = url.rfind('@');
  if (at == url.npos) return std::string(url);
  const auto separator = url.find(kSeparator);
  const auto start = separator == url.npos || separator > at ? 0 : separator + kSeparator.size();
  return std::string(url.substr(0, start)) + "***" + std::string(url.substr(at));
}

}  // namespace chandler::admission
