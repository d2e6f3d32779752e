#include "auth/json_web_key.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <array>

#include "auth/ecdsa_form.h"
#include "base/text.h"
#include "json/reader.h"

namespace chandler::auth {
namespace {

using KeyContext = std::unique_ptr<EVP_PKEY_CTX, decltype([](EVP_PKEY_CTX* p) { EVP_PKEY_CTX_free(p); })>;
using ParamBuilder = std::unique_ptr<OSSL_PARAM_BLD, decltype([](OSSL_PARAM_BLD* p) { OSSL_PARAM_BLD_free(p); })>;
using Params = std::unique_ptr<OSSL_PARAM, decltype([](OSSL_PARAM* p) { OSSL_PARAM_free(p); })>;
using Number = std::unique_ptr<BIGNUM, decltype([](BIGNUM* p) { BN_free(p); })>;
using Verification = std::unique_ptr<EVP_MD_CTX, decltype([](EVP_MD_CTX* p) { EVP_MD_CTX_free(p); })>;

constexpr size_t kMaxKeys = 100;
constexpr size_t kMaxKeySetBytes = 1024 * 1024;
constexpr size_t kMaxSetDepth = 16;
constexpr int kFewestRsaBits = 2048;
constexpr int kMostRsaBits = 8192;
constexpr size_t kMaxExponentBytes = 8;  // larger ones make verifying slow on purpose

struct Algorithm {
  std::string_view name;
  int curve_bytes;  // 0: RSA
  const EVP_MD* (*digest)();
};
constexpr std::array kAlgorithms = {
    Algorithm{"RS256", 0, EVP_sha256},  Algorithm{"RS384", 0, EVP_sha384},  Algorithm{"RS512", 0, EVP_sha512},
    Algorithm{"ES256", 32, EVP_sha256}, Algorithm{"ES384", 48, EVP_sha384}, Algorithm{"ES512", 66, EVP_sha512},
};

struct Curve {
  std::string_view name;  // in a key set
  const char* openssl_name;
  int bytes;
};
constexpr std::array kCurves = {Curve{"P-256", "prime256v1", 32}, Curve{"P-384", "secp384r1", 48},
                                Curve{"P-521", "secp521r1", 66}};

const Algorithm* find_algorithm(std::string_view name) {
  for (const auto& algorithm : kAlgorithms) {
    if (algorithm.name == name) return &algorithm;
  }
  return nullptr;
}

const unsigned char* raw(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

std::string binary_member(const json::Value& jwk, std::string_view name) {
  return base64url_decode(json::string_or(jwk, name)).value_or("");
}

KeyHandle key_from(const char* type, OSSL_PARAM_BLD* builder) {
  const Params params(OSSL_PARAM_BLD_to_param(builder));
  const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* key = nullptr;
  const bool made = params && context && EVP_PKEY_fromdata_init(context.get()) == 1 &&
                    EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params.get()) == 1;
  ERR_clear_error();
  if (!made) return nullptr;
  return {key, [](EVP_PKEY* p) { EVP_PKEY_free(p); }};
}

KeyHandle rsa_key(const json::Value& jwk) {
  const auto modulus = binary_member(jwk, "n");
  const auto exponent = binary_member(jwk, "e");
  if (modulus.empty() || modulus.size() > kMostRsaBits / 8 + 1) return nullptr;
  if (exponent.empty() || exponent.size() > kMaxExponentBytes) return nullptr;
  const Number n(BN_bin2bn(raw(modulus), static_cast<int>(modulus.size()), nullptr));
  const Number e(BN_bin2bn(raw(exponent), static_cast<int>(exponent.size()), nullptr));
  const ParamBuilder builder(OSSL_PARAM_BLD_new());
  if (!n || !e || !builder || OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1) {
    return nullptr;
  }
  auto key = key_from("RSA", builder.get());
  if (!key) return nullptr;
  const int bits = EVP_PKEY_get_bits(key.get());
  return bits >= kFewestRsaBits && bits <= kMostRsaBits ? key : nullptr;
}

KeyHandle ec_key(const json::Value& jwk, const Curve& curve) {
  const auto x = binary_member(jwk, "x");
  const auto y = binary_member(jwk, "y");
  const auto wanted = static_cast<size_t>(curve.bytes);
  if (x.size() != wanted || y.size() != wanted) return nullptr;
  const std::string point = "\x04" + x + y;
  const ParamBuilder builder(OSSL_PARAM_BLD_new());
  if (!builder ||
      OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, curve.openssl_name, 0) != 1 ||
      OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) != 1) {
    return nullptr;
  }
  return key_from("EC", builder.get());  // refuses a point that is not on the curve
}

}  // namespace

bool is_known_algorithm(std::string_view algorithm) { return find_algorithm(algorithm) != nullptr; }

Result<JsonWebKey> JsonWebKey::parse(const json::Value& jwk) {
  if (!jwk.is_object()) return fail(bad_request("a key of the set is no object"));
  if (const auto use = json::string_at(jwk, "use"); use && *use != "sig") {
    return fail(bad_request("the key is not for signatures"));
  }
  JsonWebKey key;
  key.id_ = json::string_or(jwk, "kid");
  key.only_algorithm_ = json::string_or(jwk, "alg");
  const auto type = json::string_or(jwk, "kty");
  if (type == "RSA") key.handle_ = rsa_key(jwk);
  if (type == "EC") {
    const auto name = json::string_or(jwk, "crv");
    for (const auto& curve : kCurves) {
      if (curve.name != name) continue;
      key.handle_ = ec_key(jwk, curve);
      key.curve_bytes_ = curve.bytes;
    }
  }
  if (!key.handle_)
    return fail(bad_request("the key is neither RSA of 2048 to 8192 bits nor on P-256, P-384 or P-521"));
  return key;
}

bool JsonWebKey::verify(std::string_view algorithm, std::string_view message, std::string_view signature) const {
  const auto* how = find_algorithm(algorithm);
  if (how == nullptr || how->curve_bytes != curve_bytes_) return false;
  if (!only_algorithm_.empty() && only_algorithm_ != algorithm) return false;
  std::string der;
  if (curve_bytes_ != 0) {
    der = der_from_jws(signature, curve_bytes_);
    if (der.empty()) return false;
    signature = der;
  }
  const Verification context(EVP_MD_CTX_new());
  const bool good =
      context && EVP_DigestVerifyInit(context.get(), nullptr, how->digest(), nullptr, handle_.get()) == 1 &&
      EVP_DigestVerify(context.get(), raw(signature), signature.size(), raw(message), message.size()) == 1;
  ERR_clear_error();
  return good;
}

Result<std::vector<JsonWebKey>> parse_key_set(std::string_view text) {
  if (text.size() > kMaxKeySetBytes) return fail(bad_request("the key set is too large"));
  CH_TRY_LET(document, json::parse(text, {.max_depth = kMaxSetDepth}));
  const auto* listed = json::array_at(document, "keys");
  if (listed == nullptr) return fail(bad_request("the key set has no list of keys"));
  std::vector<JsonWebKey> keys;
  for (const auto& item : *listed) {
    if (keys.size() >= kMaxKeys) break;
    if (auto key = JsonWebKey::parse(item); key.ok()) keys.push_back(std::move(key).value());
  }
  if (keys.empty()) return fail(bad_request("the key set has no key that can be used here"));
  return keys;
}

}  // namespace chandler::auth
