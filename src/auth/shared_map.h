// A hash map in which a copy costs next to nothing and a change to the copy costs one of 256 pieces: copies share their
// pieces until one of them changes. That is how a policy can be an immutable snapshot and yet follow every write.
// A map that is no longer changed is safe to read from any thread, also while copies of it change.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

namespace chandler::auth {

template <typename Key, typename Value, typename Hash>
class SharedMap {
 public:
  SharedMap() : owner_(next_owner()) {}
  SharedMap(const SharedMap& other) : owner_(next_owner()), pieces_(other.pieces_) {}
  SharedMap& operator=(const SharedMap&) = delete;

  // Null when absent. `key` is whatever Hash and == take beside Key.
  template <typename KeyLike>
  const Value* find(const KeyLike& key) const {
    const auto& piece = pieces_[slot(key)];
    if (!piece) return nullptr;
    const auto found = piece->entries.find(key);
    return found == piece->entries.end() ? nullptr : &found->second;
  }

  // The value to change, made when absent.
  Value& at(const Key& key) { return own_piece(slot(key)).entries[key]; }

  template <typename KeyLike>
  void erase(const KeyLike& key) {
    if (find(key) == nullptr) return;
    auto& entries = own_piece(slot(key)).entries;
    entries.erase(entries.find(key));
  }

 private:
  struct Piece {
    uint64_t owner;  // the map that made it and alone may change it
    std::unordered_map<Key, Value, Hash, std::equal_to<>> entries;
  };

  static uint64_t next_owner() {
    static std::atomic<uint64_t> last{0};
    return ++last;
  }

  template <typename KeyLike>
  static size_t slot(const KeyLike& key) {
    // The high bits: the tables inside the pieces use the low ones.
    return Hash{}(key) >> (sizeof(size_t) * 8 - 8);
  }

  Piece& own_piece(size_t index) {
    auto& piece = pieces_[index];
    if (!piece) {
      piece = std::make_shared<Piece>(Piece{owner_, {}});
    } else if (piece->owner != owner_) {
      piece = std::make_shared<Piece>(Piece{owner_, piece->entries});
    }
    return *piece;
  }

  const uint64_t owner_;
  std::array<std::shared_ptr<Piece>, 256> pieces_;
};

}  // namespace chandler::auth
