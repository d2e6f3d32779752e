// Who read what: finds the keys that a change concerns without looking at the others. A change costs a few look-ups per
// field that is watched of its kind, however many keys there are. Belongs to the engine's thread.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "controller/view.h"

namespace chandler::controller {

using KeyId = uint64_t;

class DependencyIndex {
 public:
  // What the key's last run read; replaces what an earlier run did.
  void replace(KeyId key, std::vector<Read> reads);
  void forget(KeyId key) { replace(key, {}); }

  // The keys that read something which the change touches: the object, a list that it was or is now part of. In order
  // of the keys, each once.
  std::vector<KeyId> concerned(const client::Change& change, const client::State& state) const;

  size_t size() const { return readers_.size(); }  // different reads remembered

 private:
  struct ReadHash {
    size_t operator()(const Read& read) const;
  };
  void add(KeyId key, const Read& read);
  void remove(KeyId key, const Read& read);
  void collect(const Read& read, std::vector<KeyId>& out) const;

  std::unordered_map<Read, std::set<KeyId>, ReadHash> readers_;
  std::unordered_map<KeyId, std::vector<Read>> reads_;
  // How many reads by each field there are: what to ask of a changed object.
  std::map<client::KindName, std::map<std::string, size_t>> fields_;
};

}  // namespace chandler::controller
