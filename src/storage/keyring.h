// Encryption at rest for secret values: AES-256-GCM under the newest key of a key file; older keys still open what they
// sealed. The storage key a value is kept under is bound into the seal, so a sealed value moved to another key does not
// open. No error ever contains key material or plain text. const functions are thread-safe.
//
// The key file has one line per key, newest first: "<id> <key in base64>"; lines that begin with '#' are comments. Keep
// a copy of it apart from backups of the data: without it sealed values are lost.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace chandler::storage {

class Keyring {
 public:
  // Reads the key file, or creates it with one new key, readable by its owner only. Refuses one that strangers can
  // read.
  static Result<Keyring> open(const std::string& path);

  std::string seal(std::string_view plain, std::string_view context) const;
  Result<std::string> open_sealed(std::string_view sealed, std::string_view context) const;
  static bool is_sealed(std::string_view bytes);

  // Which key sealed these bytes; is_sealed() must hold.
  static std::string_view key_of(std::string_view sealed);
  const std::string& newest() const { return keys_.front().id; }
  bool has(std::string_view id) const { return find(id) != nullptr; }
  size_t size() const { return keys_.size(); }

  // Adds a new newest key and writes the file; on failure nothing has changed. Not while other threads use this.
  Result<void> rotate(const std::string& path);
  // Forgets all keys but the newest, in the same way. Whatever they sealed cannot be opened any more.
  Result<void> keep_newest(const std::string& path);

 private:
  struct Key {
    std::string id;
    std::array<unsigned char, 32> bytes{};

    Key() = default;
    Key(const Key&) = default;
    Key& operator=(const Key&) = default;
    ~Key();  // leaves no copy in memory
  };

  static Key new_key();
  static Result<Keyring> parse(const std::string& path, std::string_view text);
  Result<void> write(const std::string& path) const;
  const Key* find(std::string_view id) const;

  std::vector<Key> keys_;  // newest first, never empty
};

}  // namespace chandler::storage
