#include "osb/server/gate.h"

#include <openssl/crypto.h>

#include "base/text.h"
#include "osb/server/catalog.h"

namespace chandler::osb::server {

Gate::Gate(const std::string& username, const std::string& password)
    : open_(username.empty() && password.empty()), digest_(sha256_hex(username + ":" + password)) {}

std::optional<Refusal> Gate::check_credentials(const http::Headers& headers) const {
  if (open_) return std::nullopt;
  const auto value = headers.get("Authorization");
  const auto space = value.find(' ');
  if (space != std::string_view::npos && equals_ignore_case(value.substr(0, space), "Basic")) {
    const auto sent = base64_decode(trim(value.substr(space)));
    const auto digest = sha256_hex(sent.value_or(""));
    if (sent && CRYPTO_memcmp(digest.data(), digest_.data(), digest_.size()) == 0) return std::nullopt;
  }
  return Refusal{401, "", "send the user name and password of this broker (Authorization: Basic ...)"};
}

std::optional<Refusal> Gate::check_version(const http::Headers& headers) {
  const auto value = trim(headers.get("X-Broker-API-Version"));
  const auto dot = value.find('.');
  if (dot != std::string_view::npos && value.substr(0, dot) == "2" && parse_uint64(value.substr(dot + 1))) {
    return std::nullopt;
  }
  return Refusal{412, "", "send the header X-Broker-API-Version: 2.x; this broker speaks version 2.17"};
}

}  // namespace chandler::osb::server
