#include "brokers/database/server_address.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace chandler::brokers {
namespace {

bool is_host(std::string_view host) {
  return !host.empty() && host.size() <= 253 && std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == ':';
  });
}

// "host", "host:port", "[v6]", "[v6]:port"
bool read_host(std::string_view text, uint16_t default_port, ServerAddress& address) {
  std::string_view port;
  if (text.starts_with('[')) {
    const size_t end = text.find(']');
    if (end == std::string_view::npos) return false;
    address.host = text.substr(1, end - 1);
    port = text.substr(end + 1);
  } else {
    const size_t colon = text.find(':');
    address.host = text.substr(0, colon);
    if (colon != std::string_view::npos) port = text.substr(colon);
    if (address.host.find(':') != std::string::npos) return false;
  }
  address.port = default_port;
  if (!port.empty()) {
    if (port[0] != ':') return false;
    const auto number = parse_uint64(port.substr(1));
    if (!number || *number == 0 || *number > 65535) return false;
    address.port = static_cast<uint16_t>(*number);
  }
  return is_host(address.host);
}

bool read_tls(std::string_view mode, TlsMode& into) {
  if (mode == "require") {
    into = TlsMode::kRequire;
  } else if (mode == "verify-full") {
    into = TlsMode::kVerify;
  }
  return mode == "require" || mode == "verify-full" || mode == "disable";
}

bool read_query(std::string_view query, ServerAddress& address) {
  if (query.empty()) return true;
  for (const auto part : split(query, '&')) {
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos) return false;
    const auto name = part.substr(0, equals);
    const auto value = percent_decode(part.substr(equals + 1), false);
    if (!value || (name != "sslrootcert" && name != "sslmode" && name != "moved-from")) return false;
    if (name == "sslrootcert") address.ca_file = *value;
    if (name == "moved-from") address.former.push_back(*value);
    if (name == "sslmode" && !read_tls(*value, address.tls)) return false;
  }
  return true;
}

}  // namespace

bool ServerAddress::is_called(std::string_view a_label) const {
  return a_label == label() || std::find(former.begin(), former.end(), a_label) != former.end();
}

ServerAddress admin_address(const ServerRecord& record) {
  return {std::string(kLoopback), record.port, std::string(kAdminName), record.admin_password, TlsMode::kOff, ""};
}

Result<ServerAddress> parse_admin_url(std::string_view url, std::string_view scheme, uint16_t default_port,
                                      std::string_view flag) {
  const auto fault = [&](std::string_view what) {
    return bad_request(
        fmt::format("{}: {}; it must be {}://USER:PASSWORD@HOST:PORT, optionally with "
                    "?sslmode=require, ?sslmode=verify-full&sslrootcert=FILE or ?moved-from=HOST:PORT",
                    flag, what, scheme));
  };
  const std::string start = std::string(scheme) + "://";
  if (!url.starts_with(start)) return fault("the URL is of another scheme");
  std::string_view rest = url.substr(start.size());
  ServerAddress address;
  const size_t question = rest.find('?');
  if (question != std::string_view::npos) {
    if (!read_query(rest.substr(question + 1), address)) return fault("what follows the question mark is not known");
    rest = rest.substr(0, question);
  }
  if (rest.ends_with('/')) rest.remove_suffix(1);
  const size_t at = rest.rfind('@');
  if (at == std::string_view::npos) return fault("user and password are missing");
  const std::string_view user = rest.substr(0, at);
  const size_t colon = user.find(':');
  if (colon == std::string_view::npos) return fault("the password is missing");
  auto name = percent_decode(user.substr(0, colon), false);
  auto password = percent_decode(user.substr(colon + 1), false);
  if (!name || name->empty() || !password || password->empty()) return fault("user or password cannot be read");
  address.username = std::move(*name);
  address.password = std::move(*password);
  if (!read_host(rest.substr(at + 1), default_port, address)) return fault("host or port cannot be read");
  return address;
}

}  // namespace chandler::brokers
