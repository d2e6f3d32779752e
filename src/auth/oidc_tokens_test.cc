#include "auth/oidc_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include "auth/ecdsa_form.h"
#include "base/text.h"
#include "json/writer.h"
#include "support/fake_clock.h"

namespace chandler::auth {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kIssuer = "https://issuer.example";

// A key of the issuer with its private half.
class IssuerKey {
 public:
  IssuerKey(std::string id, std::string algorithm) : id_(std::move(id)), algorithm_(std::move(algorithm)) {
    const auto bits = algorithm_.substr(2);
    half_ = algorithm_[0] != 'E' ? 0 : bits == "256" ? 32 : bits == "384" ? 48 : 66;
    EVP_PKEY* made = half_ == 0    ? EVP_RSA_gen(2048)
                     : half_ == 32 ? EVP_EC_gen("P-256")
                     : half_ == 48 ? EVP_EC_gen("P-384")
                                   : EVP_EC_gen("P-521");
    handle_ = KeyHandle(made, [](EVP_PKEY* p) { EVP_PKEY_free(p); });
    digest_ = bits == "256" ? EVP_sha256() : bits == "384" ? EVP_sha384() : EVP_sha512();
  }

  json::Object jwk() const {
    json::Object out{{"kid", id_}, {"use", "sig"}, {"alg", algorithm_}};
    if (half_ == 0) {
      out["kty"] = "RSA";
      out["n"] = number(OSSL_PKEY_PARAM_RSA_N, 0);
      out["e"] = number(OSSL_PKEY_PARAM_RSA_E, 0);
    } else {
      out["kty"] = "EC";
      out["crv"] = half_ == 32 ? "P-256" : half_ == 48 ? "P-384" : "P-521";
      out["x"] = number(OSSL_PKEY_PARAM_EC_PUB_X, half_);
      out["y"] = number(OSSL_PKEY_PARAM_EC_PUB_Y, half_);
    }
    return out;
  }

  std::string token(const json::Object& claims, const std::string& id, const std::string& algorithm) const {
    json::Object header{{"alg", algorithm}};
    if (!id.empty()) header["kid"] = id;
    auto text = base64url_encode(json::write(header)) + "." + base64url_encode(json::write(claims));
    return text + "." + base64url_encode(signature(text));
  }
  std::string token(const json::Object& claims) const { return token(claims, id_, algorithm_); }

 private:
  std::string number(const char* name, int width) const {
    BIGNUM* value = nullptr;
    EXPECT_EQ(EVP_PKEY_get_bn_param(handle_.get(), name, &value), 1);
    const int length = std::max(width, BN_num_bytes(value));
    std::string text(static_cast<size_t>(length), '\0');
    BN_bn2binpad(value, reinterpret_cast<unsigned char*>(text.data()), length);
    BN_free(value);
    return base64url_encode(text);
  }
  std::string signature(const std::string& text) const {
    const std::unique_ptr<EVP_MD_CTX, decltype([](EVP_MD_CTX* p) { EVP_MD_CTX_free(p); })> context(EVP_MD_CTX_new());
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    size_t length = 0;
    EXPECT_EQ(EVP_DigestSignInit(context.get(), nullptr, digest_, nullptr, handle_.get()), 1);
    EXPECT_EQ(EVP_DigestSign(context.get(), nullptr, &length, bytes, text.size()), 1);
    std::string out(length, '\0');
    EXPECT_EQ(EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(out.data()), &length, bytes, text.size()),
              1);
    out.resize(length);
    return half_ == 0 ? out : jws_from_der(out, half_);
  }

  const std::string id_;
  const std::string algorithm_;
  int half_ = 0;
  KeyHandle handle_;
  const EVP_MD* digest_ = nullptr;
};

// An issuer in process: what it publishes, how often it was asked, and whether it answers at once, later or not at all.
class FakeIssuer {
 public:
  IssuerKeys::Fetch fetch() {
    return [this](const std::string& url, std::function<void(Result<std::string>)> done) {
      asked.push_back(url);
      auto answer = [this, url, done = std::move(done)] {
        if (down) return done(unavailable("connection refused"));
        if (url == std::string(kIssuer) + "/.well-known/openid-configuration") return done(discovery);
        if (url == std::string(kIssuer) + "/keys") return done(json::write(json::Object{{"keys", keys}}));
        done(unavailable("404"));
      };
      if (slow) {
        pending.push_back(std::move(answer));
      } else {
        answer();
      }
    };
  }
  void answer_pending() {
    while (!pending.empty()) {
      auto now = std::move(pending);
      pending.clear();
      for (const auto& answer : now) answer();
    }
  }

  bool down = false;
  bool slow = false;
  std::string discovery = R"({"issuer":"https://issuer.example","jwks_uri":"https://issuer.example/keys"})";
  json::Array keys;
  std::vector<std::string> asked;
  std::vector<std::function<void()>> pending;
};

class OidcTokensTest : public ::testing::Test {
 protected:
  void start(const std::function<void(OidcSettings&)>& change = {}) {
    OidcSettings settings;
    settings.issuer = kIssuer;
    settings.client_ids = {"chandler", "other-client"};
    settings.username_prefix = "oidc:";
    settings.groups_claim = "groups";
    settings.groups_prefix = "oidc:";
    settings.algorithms = {"RS256", "ES256", "ES384", "ES512", "RS384", "RS512"};
    if (change) change(settings);
    issuer_keys_ = std::make_shared<IssuerKeys>(settings.issuer, issuer_.fetch(), clock_);
    tokens_ = std::make_unique<OidcTokens>(settings, issuer_keys_, std::vector<std::string>{"us"}, clock_);
  }
  void start_with(const IssuerKey& key, const std::function<void(OidcSettings&)>& change = {}) {
    issuer_.keys.push_back(key.jwk());
    start(change);
    issuer_keys_->refresh([] {});
  }
  json::Object claims() const {
    const auto now = std::chrono::duration_cast<seconds>(clock_.now().time_since_epoch()).count();
    return {{"iss", kIssuer}, {"sub", "jane"}, {"aud", "chandler"}, {"exp", now + 3600}, {"iat", now}};
  }
  // "name [groups]", "not mine", or why not.
  std::string said(const std::string& token) const {
    Credentials credentials;
    credentials.bearer_token = token;
    const auto got = tokens_->authenticate(credentials);
    if (!got.ok()) return got.error().message;
    if (!got->has_value()) return "not mine";
    return (*got)->user.name + " [" + join((*got)->user.groups, ",") + "]";
  }

  ::chandler::testing::FakeClock clock_;
  FakeIssuer issuer_;
  std::shared_ptr<IssuerKeys> issuer_keys_;
  std::unique_ptr<OidcTokens> tokens_;
};

TEST_F(OidcTokensTest, EveryAlgorithmVerifiesItsOwnSignaturesOnly) {
  for (const auto* algorithm : {"RS256", "RS384", "RS512", "ES256", "ES384", "ES512"}) {
    issuer_ = FakeIssuer();
    const IssuerKey key("k", algorithm);
    start_with(key);
    EXPECT_EQ(said(key.token(claims())), "oidc:jane []") << algorithm;
    const IssuerKey stranger("k", algorithm);
    EXPECT_THAT(said(stranger.token(claims())), HasSubstr("signature")) << algorithm;
    const std::string other = std::string(algorithm) == "RS256" ? "RS512" : "RS256";
    EXPECT_THAT(said(key.token(claims(), "k", other)), HasSubstr("signature")) << algorithm;
  }
}

TEST_F(OidcTokensTest, ClaimsAreChecked) {
  const IssuerKey key("k", "ES256");
  start_with(key, [](OidcSettings& settings) { settings.required_claims = {{"hd", "example.com"}}; });
  const auto now = std::chrono::duration_cast<seconds>(clock_.now().time_since_epoch()).count();
  struct Row {
    const char* reason;
    json::Object change;
    const char* expected;
  };
  const Row rows[] = {
      {"good", {}, "oidc:jane []"},
      {"a second client", {{"aud", json::Array{"x", "other-client"}}}, "oidc:jane []"},
      {"another issuer is somebody else's", {{"iss", "https://other.example"}}, "not mine"},
      {"another client", {{"aud", "x"}}, "another client"},
      {"no audience", {{"aud", nullptr}}, "wrong type"},
      {"expired", {{"exp", now}}, "expired"},
      {"no expiry", {{"exp", nullptr}}, "no number"},
      {"far in the future", {{"nbf", now + 3600}}, "not valid yet"},
      {"clocks differ a little", {{"nbf", now + 30}}, "oidc:jane []"},
      {"a required claim is missing", {{"hd", nullptr}}, "lacks a claim"},
      {"a required claim differs", {{"hd", "evil.example"}}, "lacks a claim"},
      {"no name", {{"sub", ""}}, "user's name"},
      {"a name that is no text", {{"sub", 7}}, "wrong type"},
      {"a group", {{"groups", "makers"}}, "oidc:jane [oidc:makers]"},
      {"groups", {{"groups", json::Array{"a", "b"}}}, "oidc:jane [oidc:a,oidc:b]"},
      {"groups that are none", {{"groups", json::Array{1}}}, "no list of names"},
  };
  for (const auto& row : rows) {
    auto all = claims();
    all["hd"] = "example.com";
    for (const auto& member : row.change) all[member.key()] = member.value();
    EXPECT_THAT(said(key.token(all)), HasSubstr(row.expected)) << row.reason;
  }
}

TEST_F(OidcTokensTest, NobodyBecomesPartOfTheSystem) {
  const IssuerKey key("k", "ES256");
  start_with(key, [](OidcSettings& settings) {
    settings.username_prefix = "";
    settings.groups_prefix = "";
  });
  auto all = claims();
  all["sub"] = "system:admin";
  EXPECT_THAT(said(key.token(all)), HasSubstr("system:"));
  all["sub"] = "jane";
  all["groups"] = json::Array{"system:masters", "makers"};
  EXPECT_EQ(said(key.token(all)), "jane [makers]");
}

TEST_F(OidcTokensTest, AnAddressCountsOnlyWhenItIsVerified) {
  const IssuerKey key("k", "ES256");
  start_with(key, [](OidcSettings& settings) {
    settings.username_claim = "email";
    settings.username_prefix = "";
  });
  auto all = claims();
  all["email"] = "jane@example.com";
  EXPECT_EQ(said(key.token(all)), "jane@example.com []");
  all["email_verified"] = false;
  EXPECT_THAT(said(key.token(all)), HasSubstr("not verified"));
  all["email_verified"] = true;
  EXPECT_EQ(said(key.token(all)), "jane@example.com []");
}

TEST_F(OidcTokensTest, ATokenEndsInTimeThoughItIsRemembered) {
  const IssuerKey key("k", "ES256");
  start_with(key);
  auto all = claims();
  all["exp"] = std::chrono::duration_cast<seconds>(clock_.now().time_since_epoch()).count() + 5;
  const auto token = key.token(all);
  EXPECT_EQ(said(token), "oidc:jane []");
  clock_.advance(seconds(5));
  EXPECT_THAT(said(token), HasSubstr("expired"));
}

TEST_F(OidcTokensTest, WhatIsNoTokenOfTheIssuerIsLeftToOthers) {
  const IssuerKey key("k", "ES256");
  start_with(key);
  for (const auto* text : {"", "secret", "a.b.c", "a.b", "eyJhbGciOiJub25lIn0.e30."}) EXPECT_EQ(said(text), "not mine");
  EXPECT_THAT(said(key.token(claims(), "k", "none")), HasSubstr("not allowed"));
  EXPECT_THAT(said(key.token(claims(), "k", "HS256")), HasSubstr("not allowed"));
}

TEST_F(OidcTokensTest, ANewKeyIsFetchedWhileTheRequestWaits) {
  const IssuerKey old_key("old", "ES256");
  start_with(old_key);
  const IssuerKey new_key("new", "ES256");
  issuer_.keys.push_back(new_key.jwk());
  clock_.advance(seconds(60));
  const auto token = new_key.token(claims());
  EXPECT_THAT(said(token), HasSubstr("not among those"));
  issuer_.slow = true;
  Credentials credentials;
  credentials.bearer_token = token;
  int again = 0;
  EXPECT_TRUE(tokens_->ask_again_later(credentials, [&] { ++again; }));
  EXPECT_TRUE(tokens_->ask_again_later(credentials, [&] { ++again; })) << "joins the fetch that is under way";
  EXPECT_EQ(again, 0);
  issuer_.answer_pending();
  EXPECT_EQ(again, 2);
  EXPECT_EQ(said(token), "oidc:jane []");
  EXPECT_FALSE(tokens_->ask_again_later(credentials, [&] { ++again; })) << "it is known now";
}

TEST_F(OidcTokensTest, UnknownKeysCannotMakeTheServerFetchAllTheTime) {
  const IssuerKey key("k", "ES256");
  start_with(key);
  const size_t before = issuer_.asked.size();
  const IssuerKey stranger("invented", "ES256");
  Credentials credentials;
  const auto token = stranger.token(claims());
  credentials.bearer_token = token;
  clock_.advance(IssuerKeys::kPause);
  int again = 0;
  for (int i = 0; i < 100; ++i) tokens_->ask_again_later(credentials, [&] { ++again; });
  EXPECT_EQ(issuer_.asked.size(), before + 2) << "one discovery document and one key set";
  EXPECT_EQ(again, 1);
}

TEST_F(OidcTokensTest, WaitingForAHungIssuerIsBounded) {
  const IssuerKey key("k", "ES256");
  issuer_.slow = true;
  start();
  Credentials credentials;
  const auto token = key.token(claims());
  credentials.bearer_token = token;
  size_t waiting = 0;
  for (size_t i = 0; i < 2 * IssuerKeys::kMaxWaiting; ++i) {
    waiting += tokens_->ask_again_later(credentials, [] {}) ? 1 : 0;
  }
  EXPECT_EQ(waiting, IssuerKeys::kMaxWaiting);
  EXPECT_EQ(issuer_.asked.size(), 1U);
}

TEST_F(OidcTokensTest, AnIssuerThatIsDownIsAskedAgainAndKnownKeysStayGood) {
  const IssuerKey key("k", "ES256");
  issuer_.down = true;
  start_with(key);
  const auto token = key.token(claims());
  EXPECT_THAT(said(token), HasSubstr("not among those"));
  EXPECT_THAT(issuer_keys_->last_fault(), HasSubstr("connection refused"));
  issuer_.down = false;
  clock_.advance(IssuerKeys::kPauseAfterFault);
  Credentials credentials;
  credentials.bearer_token = token;
  EXPECT_TRUE(tokens_->ask_again_later(credentials, [] {}));
  EXPECT_EQ(said(token), "oidc:jane []");

  issuer_.down = true;
  clock_.advance(IssuerKeys::kMaxAge);
  auto later = claims();
  EXPECT_EQ(said(key.token(later)), "oidc:jane []");
  EXPECT_THAT(issuer_keys_->last_fault(), HasSubstr("connection refused")) << "old keys are asked for again";
}

TEST_F(OidcTokensTest, AWithdrawnKeyIsForgotten) {
  const IssuerKey key("k", "ES256");
  start_with(key);
  EXPECT_EQ(said(key.token(claims())), "oidc:jane []");
  const IssuerKey next("next", "ES256");
  issuer_.keys = {next.jwk()};
  clock_.advance(IssuerKeys::kMaxAge);
  said(key.token(claims()));  // still with the old ones, and has them fetched
  auto later = claims();
  later["jti"] = "another";
  EXPECT_THAT(said(key.token(later)), HasSubstr("not among those"));
}

TEST(KeySetAddress, IsOfTheIssuerAndOverHttps) {
  EXPECT_EQ(*key_set_address(R"({"issuer":"https://i","jwks_uri":"https://i/k"})", "https://i"), "https://i/k");
  EXPECT_FALSE(key_set_address(R"({"issuer":"https://j","jwks_uri":"https://i/k"})", "https://i").ok());
  EXPECT_FALSE(key_set_address(R"({"issuer":"https://i","jwks_uri":"http://i/k"})", "https://i").ok());
  EXPECT_FALSE(key_set_address("<html>", "https://i").ok());
}

TEST(KeySet, LeavesOutWhatItCannotUse) {
  const IssuerKey good("good", "ES256");
  auto for_encryption = good.jwk();
  for_encryption["use"] = "enc";
  auto off_the_curve = good.jwk();
  off_the_curve["y"] = off_the_curve["x"];
  auto short_one = good.jwk();
  short_one["x"] = "AAAA";
  const json::Object weak{{"kty", "RSA"}, {"n", base64url_encode(std::string(64, '\xff'))}, {"e", "AQAB"}};
  const json::Object huge{{"kty", "RSA"}, {"n", base64url_encode(std::string(100'000, '\xff'))}, {"e", "AQAB"}};
  const json::Array bad = {for_encryption, off_the_curve, short_one, weak, huge, "text", json::Object{{"kty", "oct"}}};
  EXPECT_FALSE(parse_key_set(json::write(json::Object{{"keys", bad}})).ok());
  auto mixed = bad;
  mixed.push_back(good.jwk());
  const auto keys = parse_key_set(json::write(json::Object{{"keys", mixed}}));
  ASSERT_TRUE(keys.ok());
  ASSERT_EQ(keys->size(), 1U);
  EXPECT_EQ(keys->front().id(), "good");
  EXPECT_FALSE(parse_key_set("[]").ok());
  EXPECT_FALSE(parse_key_set("{").ok());
}

}  // namespace
}  // namespace chandler::auth
