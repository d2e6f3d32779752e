// Encryption of what a broker keeps: AES-256-GCM under the key file of its data directory. The place a value belongs to
// is bound into the seal, so that a sealed value moved elsewhere does not open. const functions are thread-safe.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chandler::osb::server {

class Seal {
 public:
  // Reads the key file (64 hexadecimal digits), or creates it, readable by its owner only. Refuses one that others can
  // read. `may_create` false: the data is there already, so a missing key is an error.
  static Result<Seal> open(const std::string& path, bool may_create);
  Seal(const Seal&) = default;
  Seal& operator=(const Seal&) = default;
  ~Seal();  // leaves no copy in memory

  std::string close(std::string_view plain, std::string_view place) const;
  Result<std::string> reveal(std::string_view sealed, std::string_view place) const;

 private:
  Seal() = default;
  std::array<unsigned char, 32> key_{};
};

}  // namespace chandler::osb::server
