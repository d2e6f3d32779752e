// ID tokens of an OpenID Connect issuer as bearer tokens. The signature is checked with the issuer's published keys,
// then issuer, audience, times and required claims; user and groups are read from claims and get their prefixes. No
// name from outside can become one of the system's own: a user that would begin with `system:` is refused, such groups
// are left out. Nothing waits: what is not known yet is refused, and ask_again_later() says when to come back.
// Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "auth/authenticator.h"
#include "auth/issuer_keys.h"
#include "auth/jwt.h"
#include "auth/token_cache.h"
#include "base/clock.h"

namespace chandler::auth {

struct OidcSettings {
  std::string issuer;                   // as tokens name it in `iss`
  std::vector<std::string> client_ids;  // one of them is in `aud`
  std::string username_claim = "sub";
  std::string username_prefix;
  std::string groups_claim;  // empty: no groups
  std::string groups_prefix;
  std::map<std::string, std::string> required_claims;
  std::vector<std::string> algorithms = {"RS256"};
};

class OidcTokens final : public Authenticator {
 public:
  // `own_audiences`: what this server is called; an ID token is good for these only.
  OidcTokens(OidcSettings settings, std::shared_ptr<IssuerKeys> keys, std::vector<std::string> own_audiences,
             const Clock& clock);

  Result<std::optional<Identity>> authenticate(const Credentials& credentials) const override;
  bool ask_again_later(const Credentials& credentials, std::function<void()> again) const override;

 private:
  struct Claims {
    RegisteredClaims registered;
    User user;
  };
  Result<std::shared_ptr<const Claims>> verified_claims(std::string_view token) const;
  Result<User> user_of(const json::Value& claims) const;

  const OidcSettings settings_;
  const std::shared_ptr<IssuerKeys> keys_;
  const std::vector<std::string> own_audiences_;
  const Clock& clock_;
  mutable TokenCache<Claims> cache_;
};

}  // namespace chandler::auth
