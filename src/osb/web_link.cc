#include "osb/web_link.h"

#include <algorithm>

#include "base/text.h"

namespace chandler::osb {
namespace {

constexpr size_t kLongest = 2048;

bool is_url_character(char c) {
  return c > ' ' && c < '\x7F' && std::string_view("\"<>\\`").find(c) == std::string_view::npos;
}

bool is_host_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '_';
}

// A name, an address, or an IPv6 address in brackets; perhaps a port.
bool is_host(std::string_view text) {
  if (text.starts_with('[')) {
    const size_t end = text.find(']');
    const auto address = text.substr(1, end == std::string_view::npos ? 0 : end - 1);
    const bool is_address = !address.empty() && std::all_of(address.begin(), address.end(), [](char c) {
      return std::string_view("0123456789abcdefABCDEF:.").find(c) != std::string_view::npos;
    });
    if (!is_address) return false;
    text.remove_prefix(end + 1);
    return text.empty() || (text.starts_with(':') && parse_uint64(text.substr(1)).value_or(65'536) < 65'536);
  }
  const size_t colon = text.find(':');
  const auto name = text.substr(0, colon);
  const bool has_port = colon != std::string_view::npos;
  return !name.empty() && std::all_of(name.begin(), name.end(), is_host_character) &&
         (!has_port || parse_uint64(text.substr(colon + 1)).value_or(65'536) < 65'536);
}

}  // namespace

std::string web_link_fault(std::string_view url) {
  if (url.size() > kLongest) return "is longer than 2048 bytes";
  if (!std::all_of(url.begin(), url.end(), is_url_character)) return "has characters that no URL may have";
  const size_t colon = url.find("://");
  const auto scheme = url.substr(0, colon == std::string_view::npos ? 0 : colon);
  if (!equals_ignore_case(scheme, "http") && !equals_ignore_case(scheme, "https")) {
    return "is not an http or https address";
  }
  auto authority = url.substr(colon + 3);
  authority = authority.substr(0, authority.find_first_of("/?#"));
  // What looks like the host to a reader may be a user name: https://bank.example@evil.example.
  if (authority.find('@') != std::string_view::npos) return "has a user name or a password";
  return is_host(authority) ? "" : "has no valid host";
}

}  // namespace chandler::osb
