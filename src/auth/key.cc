#include "auth/key.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <array>

#include "auth/digest.h"
#include "auth/ecdsa_form.h"
#include "base/text.h"

namespace chandler::auth {
namespace {

using Bio = std::unique_ptr<BIO, decltype([](BIO* p) { BIO_free(p); })>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, decltype([](EVP_MD_CTX* p) { EVP_MD_CTX_free(p); })>;
using BigNumber = std::unique_ptr<BIGNUM, decltype([](BIGNUM* p) { BN_free(p); })>;

constexpr int kCoordinateBytes = 32;  // of a P-256 point, and of each half of its signatures
constexpr int kMinRsaBits = 2048;
constexpr int kMaxRsaBits = 8192;  // verifying costs more the longer the key

const unsigned char* bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

Bio reading(std::string_view text) { return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

// OpenSSL would ask for a password on the terminal.
int no_password(char*, int, int, void*) { return -1; }

KeyHandle handle_of(EVP_PKEY* key) {
  ERR_clear_error();
  return key == nullptr ? KeyHandle() : KeyHandle(key, [](EVP_PKEY* p) { EVP_PKEY_free(p); });
}

bool is_p256(EVP_PKEY* key) {
  std::array<char, 64> group{};
  size_t length = 0;
  return EVP_PKEY_is_a(key, "EC") == 1 &&
         EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, group.data(), group.size(), &length) == 1 &&
         std::string_view(group.data(), length) == "prime256v1";
}

std::string public_der(EVP_PKEY* key) {
  unsigned char* der = nullptr;
  const int length = i2d_PUBKEY(key, &der);
  if (length <= 0) return "";
  std::string text(reinterpret_cast<char*>(der), static_cast<size_t>(length));
  OPENSSL_free(der);
  return text;
}

std::string number_parameter(EVP_PKEY* key, const char* name, int padded_to) {
  BIGNUM* raw = nullptr;
  if (EVP_PKEY_get_bn_param(key, name, &raw) != 1) return "";
  const BigNumber number(raw);
  const int length = std::max(padded_to, BN_num_bytes(number.get()));
  std::string text(static_cast<size_t>(length), '\0');
  BN_bn2binpad(number.get(), reinterpret_cast<unsigned char*>(text.data()), length);
  return base64url_encode(text);
}

}  // namespace

Result<VerifyingKey> VerifyingKey::from_handle(KeyHandle handle) {
  VerifyingKey key;
  key.is_ec_ = is_p256(handle.get());
  if (!key.is_ec_) {
    const int bits = EVP_PKEY_get_bits(handle.get());
    if (EVP_PKEY_is_a(handle.get(), "RSA") != 1 || bits < kMinRsaBits || bits > kMaxRsaBits) {
      return fail(bad_request("the key is neither EC P-256 nor RSA of 2048 to 8192 bits"));
    }
  }
  key.id_ = base64url_encode(view(sha256(public_der(handle.get()))));
  key.handle_ = std::move(handle);
  ERR_clear_error();
  return key;
}

Result<VerifyingKey> VerifyingKey::from_pem(std::string_view pem) {
  auto handle = handle_of(PEM_read_bio_PUBKEY(reading(pem).get(), nullptr, no_password, nullptr));
  if (!handle) return fail(bad_request("not a public key in PEM form"));
  return from_handle(std::move(handle));
}

bool VerifyingKey::verify(std::string_view message, std::string_view signature) const {
  std::string der;
  if (is_ec_) {
    der = der_from_jws(signature, kCoordinateBytes);
    if (der.empty()) return false;
    signature = der;
  }
  const DigestContext context(EVP_MD_CTX_new());
  const bool good =
      context && EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, handle_.get()) == 1 &&
      EVP_DigestVerify(context.get(), bytes(signature), signature.size(), bytes(message), message.size()) == 1;
  ERR_clear_error();
  return good;
}

json::Value VerifyingKey::jwk() const {
  json::Object jwk{{"use", "sig"}, {"kid", id_}, {"alg", algorithm()}};
  if (is_ec_) {
    jwk["kty"] = "EC";
    jwk["crv"] = "P-256";
    jwk["x"] = number_parameter(handle_.get(), OSSL_PKEY_PARAM_EC_PUB_X, kCoordinateBytes);
    jwk["y"] = number_parameter(handle_.get(), OSSL_PKEY_PARAM_EC_PUB_Y, kCoordinateBytes);
  } else {
    jwk["kty"] = "RSA";
    jwk["n"] = number_parameter(handle_.get(), OSSL_PKEY_PARAM_RSA_N, 1);
    jwk["e"] = number_parameter(handle_.get(), OSSL_PKEY_PARAM_RSA_E, 1);
  }
  return jwk;
}

Result<SigningKey> SigningKey::from_pem(std::string_view pem) {
  auto handle = read_private_key(pem);
  if (!handle) return fail(bad_request("not an unencrypted private key in PEM form"));
  CH_TRY_LET(verifying, VerifyingKey::from_handle(handle));
  return SigningKey(std::move(handle), std::move(verifying));
}

Result<std::string> SigningKey::sign(std::string_view message) const {
  const DigestContext context(EVP_MD_CTX_new());
  size_t length = 0;
  std::string signature;
  if (context && EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, handle_.get()) == 1 &&
      EVP_DigestSign(context.get(), nullptr, &length, bytes(message), message.size()) == 1) {
    signature.resize(length);
    const bool signed_it = EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &length,
                                          bytes(message), message.size()) == 1;
    signature.resize(signed_it ? length : 0);
  }
  if (public_.algorithm() == "ES256") signature = jws_from_der(signature, kCoordinateBytes);
  ERR_clear_error();
  if (signature.empty()) return fail(internal_error("a token could not be signed"));
  return signature;
}

KeyHandle read_private_key(std::string_view pem) {
  return handle_of(PEM_read_bio_PrivateKey(reading(pem).get(), nullptr, no_password, nullptr));
}

Result<std::string> new_private_key_pem() {
  const auto key = handle_of(EVP_EC_gen("P-256"));
  const Bio out(BIO_new(BIO_s_mem()));
  if (!key || !out || PEM_write_bio_PKCS8PrivateKey(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    ERR_clear_error();
    return fail(internal_error("a private key could not be made"));
  }
  char* text = nullptr;
  const long length = BIO_get_mem_data(out.get(), &text);
  return std::string(text, static_cast<size_t>(length));
}

}  // namespace chandler::auth
