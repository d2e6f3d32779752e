// JSON Web Tokens in compact form, signed with ES256 or RS256. Reading and verifying are two steps, so that a token's
// issuer can decide who verifies it; nothing read may be trusted before verify_jwt has said yes. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "auth/key.h"
#include "base/clock.h"
#include "base/result.h"
#include "json/value.h"

namespace chandler::auth {

inline constexpr size_t kMaxJwtBytes = 16 * 1024;

struct Jwt {
  std::string algorithm;
  std::string key_id;  // empty when the header names none
  json::Value claims;
  std::string_view signed_part;  // of the token's text, which must outlive this
  std::string signature;
};

// The registered claims (RFC 7519) with their types checked.
struct RegisteredClaims {
  std::string issuer;
  std::string subject;
  std::string id;
  std::vector<std::string> audiences;
  WallTime expires;
  WallTime not_before{};
};

// Errors are Unauthorized and never show any part of the token.
bool looks_like_jwt(std::string_view token);  // three parts; nothing else is worth a closer look
Result<Jwt> parse_jwt(std::string_view token);
// Only keys for the token's own algorithm count, and only the named one if the header names a key.
Result<void> verify_jwt(const Jwt& jwt, const std::vector<VerifyingKey>& keys);
Result<RegisteredClaims> registered_claims(const json::Value& claims);  // exp is required
Result<void> check_times(const RegisteredClaims& claims, WallTime now);

Result<std::string> sign_jwt(const SigningKey& key, const json::Value& claims);

json::Value jwks(const std::vector<VerifyingKey>& keys);  // {"keys": [...]}, for /openid/v1/jwks

}  // namespace chandler::auth
