// Tokens of service accounts: issued for TokenRequest, accepted as bearer tokens. A token names the account (and, when
// bound, a Pod, Secret or Node) by uid and dies with it at once, since that is looked up on every use. Thread-safe as
// far as the look-up is.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/authenticator.h"
#include "auth/jwt.h"
#include "auth/token_cache.h"
#include "base/clock.h"

namespace chandler::auth {

inline constexpr std::string_view kDefaultIssuer = "https://kubernetes.default.svc";

// What exists now. Called on the request path: answer from memory. `kind` is Pod, Secret or Node (`ns` is then empty).
class ServiceAccountLookup {
 public:
  virtual ~ServiceAccountLookup() = default;
  virtual std::optional<std::string> uid_of(std::string_view ns, std::string_view name) const = 0;
  virtual std::optional<std::string> bound_uid(std::string_view kind, std::string_view ns,
                                               std::string_view name) const = 0;
};

struct BoundObject {
  std::string kind;  // Pod, Secret or Node
  std::string name;
  std::string uid;
};

struct TokenOrder {
  std::string ns;
  std::string name;
  std::string uid;
  std::vector<std::string> audiences;  // empty: this server
  std::chrono::seconds lifetime{3600};
  std::optional<BoundObject> bound;
};

struct IssuedToken {
  std::string token;
  WallTime expires;
};

class ServiceAccountTokens final : public Authenticator {
 public:
  struct Options {
    std::string issuer{kDefaultIssuer};
    std::vector<std::string> audiences;        // what this server is called; empty: the issuer
    std::vector<VerifyingKey> retired_keys{};  // no longer sign, but their tokens are still good
    size_t cache_capacity = 4096;
  };

  ServiceAccountTokens(SigningKey key, Options options, const ServiceAccountLookup& lookup, const Clock& clock);

  Result<IssuedToken> issue(const TokenOrder& order) const;
  // nullopt for what is no token of this issuer.
  Result<std::optional<Identity>> authenticate(const Credentials& credentials) const override;

  const std::vector<std::string>& audiences() const { return audiences_; }
  json::Value jwks() const { return auth::jwks(keys_); }
  json::Value openid_configuration(std::string_view jwks_uri) const;

 private:
  struct Claims;
  Result<std::shared_ptr<const Claims>> verified_claims(std::string_view token) const;
  Result<void> check_alive(const Claims& claims) const;

  const SigningKey key_;
  const std::string issuer_;
  const std::vector<std::string> audiences_;
  const std::vector<VerifyingKey> keys_;  // own key first
  const ServiceAccountLookup& lookup_;
  const Clock& clock_;
  mutable TokenCache<Claims> cache_;
};

}  // namespace chandler::auth
