#include "auth/jwt.h"

#include <algorithm>

#include "auth/authenticator.h"
#include "base/text.h"
#include "json/reader.h"
#include "json/writer.h"

namespace chandler::auth {
namespace {

constexpr size_t kMaxDepth = 16;
constexpr auto kClockSkew = std::chrono::seconds(60);  // between servers that share a signing key
constexpr double kLatestSecond = 253402300799.0;       // end of the year 9999

Result<json::Value> parse_part(std::string_view part) {
  const auto text = base64url_decode(part);
  if (!text) return fail(refused("the token is malformed"));
  json::ReadReport report;
  auto value = json::parse(*text, {.max_depth = kMaxDepth}, &report);
  // Two readers that choose differently between duplicates would see two different tokens.
  if (!value.ok() || !value->is_object() || !report.duplicates.empty()) return fail(refused("the token is malformed"));
  return value;
}

Result<std::optional<WallTime>> time_claim(const json::Value& claims, std::string_view name) {
  const auto* value = json::find(claims, name);
  if (value == nullptr) return std::optional<WallTime>();
  if (!value->is_number()) return fail(refused("a time in the token is no number"));
  const auto seconds = value->to_number<double>();
  if (!(seconds >= 0 && seconds <= kLatestSecond)) return fail(refused("a time in the token is out of range"));
  return std::optional(WallTime(std::chrono::seconds(static_cast<int64_t>(seconds))));
}

Result<std::string> text_claim(const json::Value& claims, std::string_view name) {
  const auto* value = json::find(claims, name);
  if (value == nullptr) return std::string();
  if (!value->is_string()) return fail(refused("a claim of the token has the wrong type"));
  return std::string(json::view(value->get_string()));
}

Result<std::vector<std::string>> audience_claim(const json::Value& claims) {
  std::vector<std::string> audiences;
  const auto* value = json::find(claims, "aud");
  if (value == nullptr) return audiences;
  if (value->is_string()) {
    audiences.emplace_back(json::view(value->get_string()));
    return audiences;
  }
  if (!value->is_array()) return fail(refused("the token's audience has the wrong type"));
  for (const auto& item : value->get_array()) {
    if (!item.is_string()) return fail(refused("the token's audience has the wrong type"));
    audiences.emplace_back(json::view(item.get_string()));
  }
  return audiences;
}

}  // namespace

bool looks_like_jwt(std::string_view token) { return std::count(token.begin(), token.end(), '.') == 2; }

Result<Jwt> parse_jwt(std::string_view token) {
  if (token.size() > kMaxJwtBytes) return fail(refused("the token is too long"));
  const auto parts = split(token, '.');
  if (parts.size() != 3) return fail(refused("the token is malformed"));
  CH_TRY_LET(header, parse_part(parts[0]));
  Jwt jwt;
  CH_TRY_LET(algorithm, text_claim(header, "alg"));
  CH_TRY_LET(key_id, text_claim(header, "kid"));
  // "crit" lists extensions that a reader must understand; we understand none.
  if (json::find(header, "crit") != nullptr) return fail(refused("the token needs an extension that is not supported"));
  CH_TRY_LET(claims, parse_part(parts[1]));
  auto signature = base64url_decode(parts[2]);
  if (!signature) return fail(refused("the token is malformed"));
  jwt.algorithm = std::move(algorithm);
  jwt.key_id = std::move(key_id);
  jwt.claims = std::move(claims);
  jwt.signed_part = token.substr(0, parts[0].size() + 1 + parts[1].size());
  jwt.signature = std::move(*signature);
  return jwt;
}

Result<void> verify_jwt(const Jwt& jwt, const std::vector<VerifyingKey>& keys) {
  for (const auto& key : keys) {
    if (key.algorithm() != jwt.algorithm) continue;
    if (!jwt.key_id.empty() && jwt.key_id != key.id()) continue;
    if (key.verify(jwt.signed_part, jwt.signature)) return {};
  }
  return fail(refused("the token's signature is not by a key that is trusted"));
}

Result<RegisteredClaims> registered_claims(const json::Value& claims) {
  RegisteredClaims registered;
  CH_TRY_LET(issuer, text_claim(claims, "iss"));
  CH_TRY_LET(subject, text_claim(claims, "sub"));
  CH_TRY_LET(id, text_claim(claims, "jti"));
  CH_TRY_LET(audiences, audience_claim(claims));
  CH_TRY_LET(expires, time_claim(claims, "exp"));
  CH_TRY_LET(not_before, time_claim(claims, "nbf"));
  if (!expires) return fail(refused("the token has no expiry"));
  registered.issuer = std::move(issuer);
  registered.subject = std::move(subject);
  registered.id = std::move(id);
  registered.audiences = std::move(audiences);
  registered.expires = *expires;
  registered.not_before = not_before.value_or(WallTime{});
  return registered;
}

Result<void> check_times(const RegisteredClaims& claims, WallTime now) {
  if (now >= claims.expires) return fail(refused("the token has expired"));
  if (now + kClockSkew < claims.not_before) return fail(refused("the token is not valid yet"));
  return {};
}

Result<std::string> sign_jwt(const SigningKey& key, const json::Value& claims) {
  const auto& verifying = key.verifying_key();
  const json::Object header{{"alg", verifying.algorithm()}, {"kid", verifying.id()}, {"typ", "JWT"}};
  auto token = base64url_encode(json::write(header)) + "." + base64url_encode(json::write(claims));
  CH_TRY_LET(signature, key.sign(token));
  token += ".";
  token += base64url_encode(signature);
  return token;
}

json::Value jwks(const std::vector<VerifyingKey>& keys) {
  json::Array list;
  for (const auto& key : keys) list.push_back(key.jwk());
  return json::Object{{"keys", std::move(list)}};
}

}  // namespace chandler::auth
