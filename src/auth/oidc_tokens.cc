#include "auth/oidc_tokens.h"

#include <algorithm>
#include <utility>

#include "auth/digest.h"

namespace chandler::auth {
namespace {

constexpr size_t kCachedTokens = 4096;
constexpr size_t kMaxOidcGroups = 1000;
constexpr size_t kMaxOidcName = 512;
constexpr std::string_view kReserved = "system:";

bool is_listed(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

// A key of that name is there, or (when the token names none) any key at all.
bool has_candidate(const IssuerKeys::Keys& keys, std::string_view id) {
  return std::any_of(keys.begin(), keys.end(), [&](const JsonWebKey& key) { return id.empty() || key.id() == id; });
}

bool is_signed(const IssuerKeys::Keys& keys, const Jwt& jwt) {
  return std::any_of(keys.begin(), keys.end(), [&](const JsonWebKey& key) {
    return (jwt.key_id.empty() || key.id() == jwt.key_id) && key.verify(jwt.algorithm, jwt.signed_part, jwt.signature);
  });
}

}  // namespace

OidcTokens::OidcTokens(OidcSettings settings, std::shared_ptr<IssuerKeys> keys, std::vector<std::string> own_audiences,
                       const Clock& clock)
    : settings_(std::move(settings)),
      keys_(std::move(keys)),
      own_audiences_(std::move(own_audiences)),
      clock_(clock),
      cache_(kCachedTokens, clock) {}

// Null: not a token of this issuer.
Result<std::shared_ptr<const OidcTokens::Claims>> OidcTokens::verified_claims(std::string_view token) const {
  if (!looks_like_jwt(token)) return std::shared_ptr<const Claims>();
  const auto digest = sha256(token);
  if (auto known = cache_.find(digest)) return known;
  const auto jwt = parse_jwt(token);
  if (!jwt.ok() || json::string_at(jwt->claims, "iss") != settings_.issuer) return std::shared_ptr<const Claims>();
  if (!is_listed(settings_.algorithms, jwt->algorithm)) {
    return fail(refused("the token is signed in a way that is not allowed (--oidc-signing-algs)"));
  }
  const auto keys = keys_->current();
  if (!has_candidate(*keys, jwt->key_id)) return fail(refused("the token's key is not among those of its issuer"));
  if (!is_signed(*keys, *jwt)) return fail(refused("the token's signature is not by a key of its issuer"));

  auto claims = std::make_shared<Claims>();
  CH_TRY_LET(registered, registered_claims(jwt->claims));
  claims->registered = std::move(registered);
  const auto& audiences = claims->registered.audiences;
  if (std::none_of(audiences.begin(), audiences.end(),
                   [&](const std::string& one) { return is_listed(settings_.client_ids, one); })) {
    return fail(refused("the token is meant for another client (--oidc-client-id)"));
  }
  for (const auto& [name, value] : settings_.required_claims) {
    if (json::string_at(jwt->claims, name) != value) {
      return fail(refused("the token lacks a claim that is required (--oidc-required-claim)"));
    }
  }
  CH_TRY_LET(user, user_of(jwt->claims));
  claims->user = std::move(user);
  cache_.put(digest, claims);
  return std::shared_ptr<const Claims>(std::move(claims));
}

Result<User> OidcTokens::user_of(const json::Value& claims) const {
  const auto name = json::string_at(claims, settings_.username_claim);
  if (!name || name->empty())
    return fail(refused("the token has no claim with the user's name (--oidc-username-claim)"));
  if (name->size() > kMaxOidcName) return fail(refused("the user's name in the token is too long"));
  if (settings_.username_claim == "email") {
    const auto* verified = json::find(claims, "email_verified");
    if (verified != nullptr && *verified != json::Value(true)) {
      return fail(refused("the token's email address is not verified"));
    }
  }
  User user;
  user.name = settings_.username_prefix;
  user.name += *name;
  if (user.name.starts_with(kReserved)) return fail(refused("the user's name is one of the system's (system:)"));

  const auto add_group = [&](const json::Value& value) {
    if (!value.is_string() || user.groups.size() >= kMaxOidcGroups) return false;
    auto group = settings_.groups_prefix;
    group += json::view(value.get_string());
    if (!group.empty() && !group.starts_with(kReserved)) user.groups.push_back(std::move(group));
    return true;
  };
  const auto* groups = settings_.groups_claim.empty() ? nullptr : json::find(claims, settings_.groups_claim);
  if (groups == nullptr) return user;
  if (groups->is_array()) {
    for (const auto& group : groups->get_array()) {
      if (!add_group(group)) return fail(refused("the token's groups are no list of names, or too many"));
    }
  } else if (!add_group(*groups)) {
    return fail(refused("the token's groups are no list of names"));
  }
  return user;
}

Result<std::optional<Identity>> OidcTokens::authenticate(const Credentials& credentials) const {
  if (credentials.bearer_token.empty()) return std::optional<Identity>();
  CH_TRY_LET(claims, verified_claims(credentials.bearer_token));
  if (!claims) return std::optional<Identity>();
  CH_TRY(check_times(claims->registered, clock_.now()));
  Identity identity{claims->user, common_audiences(own_audiences_, credentials.audiences)};
  if (identity.audiences.empty() && credentials.audiences != nullptr) {
    return fail(refused("the token is not meant for the wanted audiences"));
  }
  return std::optional(std::move(identity));
}

bool OidcTokens::ask_again_later(const Credentials& credentials, std::function<void()> again) const {
  if (!looks_like_jwt(credentials.bearer_token)) return false;
  const auto jwt = parse_jwt(credentials.bearer_token);
  if (!jwt.ok() || json::string_at(jwt->claims, "iss") != settings_.issuer) return false;
  if (!is_listed(settings_.algorithms, jwt->algorithm)) return false;
  const auto keys = keys_->current();
  // A bad signature by a known key stays bad; without a name the key may be a new one.
  if (jwt->key_id.empty() ? is_signed(*keys, *jwt) : has_candidate(*keys, jwt->key_id)) return false;
  return keys_->refresh(std::move(again));
}

}  // namespace chandler::auth
