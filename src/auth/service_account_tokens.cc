#include "auth/service_account_tokens.h"

#include <array>

#include "base/ids.h"
#include "base/text.h"

namespace chandler::auth {
namespace {

constexpr std::string_view kPrivateClaim = "kubernetes.io";
constexpr std::string_view kExtraPrefix = "authentication.kubernetes.io/";
constexpr std::array<std::string_view, 3> kBindableKinds = {"Pod", "Secret", "Node"};

std::vector<VerifyingKey> all_keys(const VerifyingKey& own, std::vector<VerifyingKey> retired) {
  retired.insert(retired.begin(), own);
  return retired;
}

int64_t unix_seconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

json::Object name_and_uid(std::string_view name, std::string_view uid) {
  json::Object object;
  object["name"] = name;
  object["uid"] = uid;
  return object;
}

json::Array texts(const std::vector<std::string>& items) { return json::Array(items.begin(), items.end()); }

}  // namespace

struct ServiceAccountTokens::Claims {
  RegisteredClaims registered;
  std::string ns;
  std::string name;
  std::string uid;
  std::vector<BoundObject> bound;
};

ServiceAccountTokens::ServiceAccountTokens(SigningKey key, Options options, const ServiceAccountLookup& lookup,
                                           const Clock& clock)
    : key_(std::move(key)),
      issuer_(std::move(options.issuer)),
      audiences_(options.audiences.empty() ? std::vector<std::string>{issuer_} : std::move(options.audiences)),
      keys_(all_keys(key_.verifying_key(), std::move(options.retired_keys))),
      lookup_(lookup),
      clock_(clock),
      cache_(options.cache_capacity, clock) {}

Result<IssuedToken> ServiceAccountTokens::issue(const TokenOrder& order) const {
  const auto issued = std::chrono::floor<std::chrono::seconds>(clock_.now());
  const auto expires = issued + order.lifetime;
  json::Object about;
  about["namespace"] = order.ns;
  about["serviceaccount"] = name_and_uid(order.name, order.uid);
  if (order.bound) about[to_lower(order.bound->kind)] = name_and_uid(order.bound->name, order.bound->uid);

  json::Object claims;
  claims["iss"] = issuer_;
  claims["sub"] = service_account_user(order.ns, order.name);
  claims["aud"] = texts(order.audiences.empty() ? audiences_ : order.audiences);
  claims["iat"] = unix_seconds(issued);
  claims["nbf"] = unix_seconds(issued);
  claims["exp"] = unix_seconds(expires);
  claims["jti"] = new_uuid();
  claims[kPrivateClaim] = std::move(about);
  CH_TRY_LET(token, sign_jwt(key_, claims));
  return IssuedToken{std::move(token), expires};
}

// Null: not a token of this issuer.
Result<std::shared_ptr<const ServiceAccountTokens::Claims>> ServiceAccountTokens::verified_claims(
    std::string_view token) const {
  if (!looks_like_jwt(token)) return std::shared_ptr<const Claims>();
  const auto digest = sha256(token);
  if (auto known = cache_.find(digest)) return known;
  const auto jwt = parse_jwt(token);
  if (!jwt.ok() || json::string_at(jwt->claims, "iss") != issuer_) return std::shared_ptr<const Claims>();
  CH_TRY(verify_jwt(*jwt, keys_));

  auto claims = std::make_shared<Claims>();
  CH_TRY_LET(registered, registered_claims(jwt->claims));
  claims->registered = std::move(registered);
  const auto* about = json::find(jwt->claims, kPrivateClaim);
  const auto* account = about == nullptr ? nullptr : json::find(*about, "serviceaccount");
  if (account == nullptr) return fail(refused("the token names no service account"));
  claims->ns = json::string_or(*about, "namespace");
  claims->name = json::string_or(*account, "name");
  claims->uid = json::string_or(*account, "uid");
  if (claims->registered.subject != service_account_user(claims->ns, claims->name)) {
    return fail(refused("the token's subject is not its service account"));
  }
  for (const auto kind : kBindableKinds) {
    const auto* bound = json::find(*about, to_lower(kind));
    if (bound == nullptr) continue;
    claims->bound.push_back({std::string(kind), json::string_or(*bound, "name"), json::string_or(*bound, "uid")});
  }
  cache_.put(digest, claims);
  return std::shared_ptr<const Claims>(std::move(claims));
}

Result<void> ServiceAccountTokens::check_alive(const Claims& claims) const {
  if (lookup_.uid_of(claims.ns, claims.name) != claims.uid) {
    return fail(refused("the token's service account does not exist any more"));
  }
  for (const auto& bound : claims.bound) {
    const std::string_view ns = bound.kind == "Node" ? std::string_view() : claims.ns;
    if (lookup_.bound_uid(bound.kind, ns, bound.name) != bound.uid) {
      return fail(refused("the object that the token is bound to does not exist any more"));
    }
  }
  return {};
}

Result<std::optional<Identity>> ServiceAccountTokens::authenticate(const Credentials& credentials) const {
  if (credentials.bearer_token.empty()) return std::optional<Identity>();
  CH_TRY_LET(claims, verified_claims(credentials.bearer_token));
  if (!claims) return std::optional<Identity>();
  CH_TRY(check_times(claims->registered, clock_.now()));
  const auto* wanted = credentials.audiences != nullptr ? credentials.audiences : &audiences_;
  auto audiences = common_audiences(claims->registered.audiences, wanted);
  if (audiences.empty()) return fail(refused("the token is not meant for the wanted audiences"));
  CH_TRY(check_alive(*claims));

  User user;
  user.name = claims->registered.subject;
  user.uid = claims->uid;
  user.groups = service_account_groups(claims->ns);
  const std::string prefix(kExtraPrefix);
  if (!claims->registered.id.empty()) user.extra[prefix + "credential-id"] = {"JTI=" + claims->registered.id};
  for (const auto& bound : claims->bound) {
    if (bound.kind == "Secret") continue;
    user.extra[prefix + to_lower(bound.kind) + "-name"] = {bound.name};
    user.extra[prefix + to_lower(bound.kind) + "-uid"] = {bound.uid};
  }
  return std::optional(Identity{std::move(user), std::move(audiences)});
}

json::Value ServiceAccountTokens::openid_configuration(std::string_view jwks_uri) const {
  json::Array algorithms;
  for (const auto& key : keys_) {
    const json::Value algorithm(key.algorithm());
    if (std::find(algorithms.begin(), algorithms.end(), algorithm) == algorithms.end()) algorithms.push_back(algorithm);
  }
  json::Object document;
  document["issuer"] = issuer_;
  document["jwks_uri"] = jwks_uri;
  document["response_types_supported"] = json::Array{"id_token"};
  document["subject_types_supported"] = json::Array{"public"};
  document["id_token_signing_alg_values_supported"] = std::move(algorithms);
  return document;
}

}  // namespace chandler::auth
