#include "auth/jwt.h"

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "base/text.h"
#include "json/reader.h"
#include "json/writer.h"

namespace chandler::auth {
namespace {

// The example of RFC 7515, appendix A.3.
constexpr std::string_view kRfcKey = R"(-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7
6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
-----END PUBLIC KEY-----
)";
constexpr std::string_view kRfcToken =
    "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19"
    "yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU"
    "1Q";

// Made with the openssl program.
constexpr std::string_view kRsaKey = R"(-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA55ZGEG9X3Y+MhQr0VP7P
A5ScjduqWlsDSuxYaKpDG2n05iD2Mz3TOT4rToNZcPBtW1B57ipDLkoItg6Ukv0H
VBc67sn9VpeyRHGCvDYcPZ8WdR8UMVu83DtQixU09abuCDDQ1MG866dJ8w8vXrwE
41HvZYtBOL7Y3xoAwBALUbaSxXlGRNFHPRUUBSneQpGfxmuaM7EHmkFbHsQ8/kZL
ZBPHyDY4dq1HD8OTNU2ri4/ztDoj3uYFDzuSLGzrU6mXrNG6kbXrNPYIC2AkB3hn
3EMQuLA1llm3XuzEzMGCbhIngeMKsXsa4m9tUwBEzqPSkv48KqY8sw75iVFfMIlz
IQIDAQAB
-----END PUBLIC KEY-----
)";
constexpr std::string_view kRsaToken =
    "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlIiwic3ViIjoiamFuZSIsImV4cCI6MTcwMDAwMzY"
    "wMH0.bNMELQ7ueBFPbxCiZsSiO93s8yOwkAwNsURtKy1sGl4PIRsdhcwY66OOBpnyN8ZMQjYp2yfsOakCDJ-vWTVdVRiJ4SgMK8e"
    "P6TtIFQZJGsPKtssnLmV1J2ExR-hMC2lZOoaZa7USTTDALmtWGGI4MSxi44J3Din2IpEePKfOmK6SEQw5sXKPkk6UZMrB6PF1PPQ"
    "TVfIpfNhWDE-5lubE9TFJ7OqAhPwhHaM5YyxPXV84GvML-StvjuxUvydSff-dr0KE60PYkWAqs8qF386ulOV0cOv5S6o-LczhxaR"
    "Iv8noGHvoKKSgoHLMbX0xNs4FGtviOz-aguSEIlyYi0eCcg";

constexpr std::string_view kShortRsaKey = R"(-----BEGIN PUBLIC KEY-----
MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDN5bXZmEHUliXuZ0wZXNesMm8m
5pL0Z/xipHUB4snHCYLb+mYX/KlfPWGuzSJzZB1EkAXu757l8nGIfJ61dNRYY2D1
luPurgAmQrW3eVFxi/Glbm4nw6MKmjgAZrS5f3yHdWbrDl7bGjsQgFnmzOQhPzLQ
y7F8jXca+GRkCTi8qQIDAQAB
-----END PUBLIC KEY-----
)";
constexpr std::string_view kP384Key = R"(-----BEGIN PUBLIC KEY-----
MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAE+lwFzeS68XtNEIUxisyEcwpra6tbSop7
45db54llqrYk4N0aJOcwVKjZsuzOZlgmjljWDytKQTGinoL2TP5FytvvOq+5JlW3
JC3S/KIAVUT2r9Wa5N97ItMXs1XR9LqF
-----END PUBLIC KEY-----
)";

SigningKey new_key() { return *SigningKey::from_pem(*new_private_key_pem()); }

json::Value parsed(std::string_view text) { return *json::parse(text); }

std::string encrypted_key() {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  BIO* out = BIO_new(BIO_s_mem());
  char password[] = "x";
  PEM_write_bio_PKCS8PrivateKey(out, key, EVP_aes_128_cbc(), password, 1, nullptr, nullptr);
  char* text = nullptr;
  const long length = BIO_get_mem_data(out, &text);
  std::string pem(text, static_cast<size_t>(length));
  BIO_free(out);
  EVP_PKEY_free(key);
  return pem;
}

bool verifies(std::string_view token, const std::vector<VerifyingKey>& keys) {
  const auto jwt = parse_jwt(token);
  return jwt.ok() && verify_jwt(*jwt, keys).ok();
}

std::string token_of(std::string_view header, std::string_view claims, std::string_view signature = "x") {
  return base64url_encode(header) + "." + base64url_encode(claims) + "." + base64url_encode(signature);
}

TEST(Jwt, VerifiesWhatOthersSigned) {
  EXPECT_TRUE(verifies(kRfcToken, {*VerifyingKey::from_pem(kRfcKey)}));
  EXPECT_TRUE(verifies(kRsaToken, {*VerifyingKey::from_pem(kRsaKey)}));
  EXPECT_FALSE(verifies(kRfcToken, {*VerifyingKey::from_pem(kRsaKey)}));
  EXPECT_FALSE(verifies(kRfcToken, {}));
}

TEST(Jwt, VerifiesWhatItSignedAndNothingElse) {
  const auto key = new_key();
  const auto claims = parsed(R"({"iss": "me", "exp": 1700000000})");
  const auto token = *sign_jwt(key, claims);
  EXPECT_TRUE(verifies(token, {key.verifying_key()}));
  EXPECT_FALSE(verifies(token, {new_key().verifying_key()}));
  EXPECT_TRUE(json::equal(parse_jwt(token)->claims, claims));
  // Any changed character of any part must break it. The last one of a part may hold unused bits, so it is left out.
  const auto last = token.size() - 1;
  for (size_t i = 0; i < last; ++i) {
    if (token[i] == '.' || token[i + 1] == '.') continue;
    auto changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(verifies(changed, {key.verifying_key()})) << "character " << i;
  }
}

TEST(Jwt, HeaderNamesTheKey) {
  const auto key = new_key();
  const auto token = *sign_jwt(key, json::Object());
  EXPECT_EQ(parse_jwt(token)->key_id, key.verifying_key().id());
  EXPECT_EQ(parse_jwt(token)->algorithm, "ES256");
}

TEST(Jwt, ATokenCannotChooseAWeakerCheck) {
  const auto key = new_key();
  const auto claims = base64url_encode(R"({"exp":1})");
  struct Row {
    std::string name;
    std::string reason;
    std::string header;
  };
  const std::vector<Row> rows = {
      {"none", "unsigned tokens are never accepted", R"({"alg":"none"})"},
      {"missing", "an algorithm must be named", R"({})"},
      {"HS256", "a public key is no shared secret", R"({"alg":"HS256"})"},
      {"other family", "the key decides the algorithm", R"({"alg":"RS256"})"},
      {"other kid", "only the named key counts", R"({"alg":"ES256","kid":"other"})"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto signed_part = base64url_encode(row.header) + "." + claims;
    const auto token = signed_part + "." + base64url_encode(*key.sign(signed_part));
    const auto jwt = parse_jwt(token);
    ASSERT_TRUE(jwt.ok());
    EXPECT_FALSE(verify_jwt(*jwt, {key.verifying_key()}).ok());
  }
  const auto unsigned_token = token_of(R"({"alg":"none"})", R"({"exp":1})", "");
  EXPECT_FALSE(verifies(unsigned_token, {key.verifying_key()}));
}

TEST(Jwt, WithoutAKeyNameAnyKeyOfTheAlgorithmMayVerify) {
  const auto key = new_key();
  const auto signed_part = base64url_encode(R"({"alg":"ES256"})") + "." + base64url_encode("{}");
  const auto token = signed_part + "." + base64url_encode(*key.sign(signed_part));
  EXPECT_TRUE(verifies(token, {new_key().verifying_key(), key.verifying_key()}));
}

TEST(Jwt, MalformedTokensAreRefused) {
  struct Row {
    std::string name;
    std::string reason;
    std::string token;
  };
  const std::vector<Row> rows = {
      {"empty", "nothing is no token", ""},
      {"two parts", "the signature is missing", "e30.e30"},
      {"four parts", "encrypted tokens and the like are not ours", "e30.e30.e30.e30"},
      {"not base64", "the alphabet is fixed", "e30.$$$.e30"},
      {"padding", "the compact form has none", "e30=.e30.e30"},
      {"header no JSON", "it must be an object", token_of("x", "{}")},
      {"header a list", "it must be an object", token_of("[]", "{}")},
      {"claims a text", "they must be an object", token_of("{}", "\"x\"")},
      {"duplicate claim", "two readers could see two tokens", token_of("{}", R"({"sub":"a","sub":"b"})")},
      {"duplicate header", "two readers could see two tokens", token_of(R"({"alg":"a","alg":"b"})", "{}")},
      {"algorithm type", "a name is a text", token_of(R"({"alg":1})", "{}")},
      {"critical extension", "we know none", token_of(R"({"alg":"ES256","crit":["b64"]})", "{}")},
      {"too deep", "depth is bounded", token_of("{}", R"({"a":)" + std::string(50, '[') + std::string(50, ']') + "}")},
      {"too long", "length is bounded", std::string(kMaxJwtBytes + 1, 'a')},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto jwt = parse_jwt(row.token);
    ASSERT_FALSE(jwt.ok());
    EXPECT_EQ(jwt.error().http(), 401);
  }
}

TEST(RegisteredClaims, AreReadWithTheirTypes) {
  struct Row {
    std::string name;
    std::string reason;
    std::string claims;
    bool want;
  };
  const std::vector<Row> rows = {
      {"all", "the usual token", R"({"iss":"i","sub":"s","aud":["a"],"exp":5,"nbf":1,"jti":"j"})", true},
      {"audience text", "a single audience may be a text", R"({"aud":"a","exp":5})", true},
      {"fraction", "NumericDate may have one", R"({"exp":5.5})", true},
      {"no expiry", "a token must end", R"({"sub":"s"})", false},
      {"expiry text", "a time is a number", R"({"exp":"5"})", false},
      {"negative", "before 1970 is nonsense", R"({"exp":-5})", false},
      {"huge", "must not overflow", R"({"exp":1e300})", false},
      {"subject type", "a subject is a text", R"({"sub":1,"exp":5})", false},
      {"audience type", "an audience is a text", R"({"aud":[1],"exp":5})", false},
      {"audience object", "an audience is a text", R"({"aud":{},"exp":5})", false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    EXPECT_EQ(registered_claims(parsed(row.claims)).ok(), row.want);
  }
}

TEST(RegisteredClaims, TimesAreChecked) {
  using std::chrono::seconds;
  RegisteredClaims claims;
  claims.not_before = WallTime(seconds(1000));
  claims.expires = WallTime(seconds(2000));
  EXPECT_TRUE(check_times(claims, WallTime(seconds(1000))).ok());
  EXPECT_TRUE(check_times(claims, WallTime(seconds(1999))).ok());
  EXPECT_FALSE(check_times(claims, WallTime(seconds(2000))).ok());
  EXPECT_TRUE(check_times(claims, WallTime(seconds(940))).ok()) << "another server's clock may be a minute ahead";
  EXPECT_FALSE(check_times(claims, WallTime(seconds(939))).ok());
}

TEST(VerifyingKey, WritesItselfAsJwk) {
  const auto want = parsed(R"({"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig",
      "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"})");
  auto jwk = VerifyingKey::from_pem(kRfcKey)->jwk();
  EXPECT_EQ(json::string_at(jwk, "kid")->size(), 43u);
  jwk.get_object().erase("kid");
  EXPECT_TRUE(json::equal(jwk, want)) << json::write(jwk);
  const auto document = jwks({*VerifyingKey::from_pem(kRsaKey)});
  const auto& rsa = json::find(document, "keys")->get_array()[0];
  EXPECT_EQ(json::string_at(rsa, "kty"), "RSA");
  EXPECT_EQ(json::string_at(rsa, "e"), "AQAB");
  EXPECT_EQ(json::string_at(rsa, "n")->size(), 342u);
}

TEST(VerifyingKey, WeakOrStrangeKeysAreRefused) {
  EXPECT_FALSE(VerifyingKey::from_pem(kShortRsaKey).ok());
  EXPECT_FALSE(VerifyingKey::from_pem(kP384Key).ok());
  EXPECT_FALSE(VerifyingKey::from_pem("no key").ok());
  EXPECT_FALSE(VerifyingKey::from_pem("").ok());
}

TEST(SigningKey, NeedsAPrivateKeyWithoutPassword) {
  EXPECT_FALSE(SigningKey::from_pem(kRfcKey).ok());
  EXPECT_FALSE(SigningKey::from_pem(encrypted_key()).ok());
  EXPECT_FALSE(SigningKey::from_pem("").ok());
}

}  // namespace
}  // namespace chandler::auth
