// Keys of others, as their JSON Web Key Sets tell them (RFC 7517): RSA of 2048 to 8192 bits for RS256, RS384 and RS512,
// and the curves P-256, P-384 and P-521 for ES256, ES384 and ES512. They verify and nothing else. A key is a cheap
// handle on an immutable OpenSSL object. Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "auth/key.h"
#include "base/result.h"
#include "json/value.h"

namespace chandler::auth {

class JsonWebKey {
 public:
  static Result<JsonWebKey> parse(const json::Value& jwk);

  const std::string& id() const { return id_; }  // kid; may be empty
  // False also when the algorithm is not one of this key.
  bool verify(std::string_view algorithm, std::string_view message, std::string_view signature) const;

 private:
  JsonWebKey() = default;

  KeyHandle handle_;
  std::string id_;
  std::string only_algorithm_;  // what the set says it is for; empty: any that fits
  int curve_bytes_ = 0;         // of a coordinate; 0: RSA
};

bool is_known_algorithm(std::string_view algorithm);

// The keys of a set that can be used for signatures; others in it are left out. An error when it is no set, or holds
// no usable key.
Result<std::vector<JsonWebKey>> parse_key_set(std::string_view text);

}  // namespace chandler::auth
