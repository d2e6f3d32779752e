// What a status keeps of the parameters that a broker was sent, so that a change of them is noticed: many come from
// secrets, and whoever reads the status must not be able to try out guesses. So it is an HMAC with a key of the server,
// and its input has the object's uid, so that equal parameters of two objects do not show. Pure, thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "json/value.h"

namespace chandler::resolve {

// SHA-256 in hex of the canonical JSON, as the original service catalog computes it (keys sorted; <, > and & escaped).
// "" for no parameters. Only ever an input of the checksums below: it can be guessed.
std::string parameters_digest(const json::Value& parameters);

class ChecksumKey {
 public:
  static constexpr size_t kLength = 32;

  ChecksumKey() = default;  // none: only for what never has parameters
  explicit ChecksumKey(std::string_view bytes);

  // "<id of the key>:<HMAC-SHA256 of uid and digest>"; "" for no parameters.
  std::string checksum(std::string_view uid, const json::Value& parameters) const;
  // The same from parameters_digest(): so a digest that is stored, by another service catalog or an earlier version,
  // can be replaced by what would stand there, without knowing the parameters.
  std::string checksum_of_digest(std::string_view uid, std::string_view digest) const;

 private:
  std::string bytes_;
  std::string id_;
};

// What is stored is a bare digest: 64 characters of hex.
bool is_bare_digest(std::string_view stored);
// Two checksums were made with the same key, so that they can be compared.
bool same_key(std::string_view a, std::string_view b);

}  // namespace chandler::resolve
