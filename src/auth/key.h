// Keys that sign and verify tokens: EC P-256 (ES256) and, for verifying only what others issue, RSA (RS256). A key is a
// cheap handle on an immutable OpenSSL object; copies share it. Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"

struct evp_pkey_st;

namespace chandler::auth {

using KeyHandle = std::shared_ptr<evp_pkey_st>;

class VerifyingKey {
 public:
  static Result<VerifyingKey> from_pem(std::string_view pem);  // "PUBLIC KEY"
  static Result<VerifyingKey> from_handle(KeyHandle handle);

  std::string_view algorithm() const { return is_ec_ ? "ES256" : "RS256"; }
  const std::string& id() const { return id_; }  // kid: base64url of the SHA-256 of the public key's DER form
  bool verify(std::string_view message, std::string_view signature) const;
  json::Value jwk() const;  // as RFC 7517 writes it

 private:
  VerifyingKey() = default;

  KeyHandle handle_;
  std::string id_;
  bool is_ec_ = false;
};

class SigningKey {
 public:
  static Result<SigningKey> from_pem(std::string_view pem);  // an unencrypted private key

  const VerifyingKey& verifying_key() const { return public_; }
  Result<std::string> sign(std::string_view message) const;  // the signature as JWS writes it, not encoded

 private:
  SigningKey(KeyHandle handle, VerifyingKey verifying) : handle_(std::move(handle)), public_(std::move(verifying)) {}

  KeyHandle handle_;
  VerifyingKey public_;
};

// Any unencrypted private key; null when the text is none.
KeyHandle read_private_key(std::string_view pem);
// A new EC P-256 private key as PEM (PKCS #8).
Result<std::string> new_private_key_pem();

}  // namespace chandler::auth
