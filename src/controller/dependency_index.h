// Who read what: finds the keys that a change concerns without looking at the others. A change costs a look-up for each
// sort of read that there is of its kind, however many keys there are. Belongs to the engine's thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

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
  // A Read, of texts that are elsewhere.
  struct ReadView {
    client::KindName kind;
    std::string_view ns;
    std::string_view name;
    std::string_view field;
    std::string_view value;
    bool operator==(const ReadView&) const = default;
  };
  static ReadView view_of(const Read& read) { return {read.kind, read.ns, read.name, read.field, read.value}; }
  static const ReadView& view_of(const ReadView& read) { return read; }
  struct ReadHash {
    using is_transparent = void;
    size_t operator()(const ReadView& read) const;
    size_t operator()(const Read& read) const { return (*this)(view_of(read)); }
  };
  struct ReadEqual {
    using is_transparent = void;
    bool operator()(const auto& a, const auto& b) const { return view_of(a) == view_of(b); }
  };

  // Most reads are those of one key, the others those of thousands.
  class Readers {
   public:
    void add(KeyId key);  // not there yet
    void remove(KeyId key);
    bool empty() const { return one_ == 0 && many_ == nullptr; }
    void append_to(std::vector<KeyId>& out) const;

   private:
    KeyId one_ = 0;  // when there is just one; no key is 0
    std::unique_ptr<boost::unordered_flat_set<KeyId>> many_;
  };
  using ReadersByRead = std::unordered_map<Read, Readers, ReadHash, ReadEqual>;
  using Entry = ReadersByRead::value_type;  // stays where it is

  // The lists of a kind by one field ("": whole lists), in one namespace or everywhere: what to ask of a changed
  // object.
  struct Sort {
    std::string field;
    bool in_namespace = false;
    size_t reads = 0;
  };
  static std::vector<Sort>::iterator sort_of(const Read& read, std::vector<Sort>& sorts);

  Entry* entry_for(Read&& read);
  void remove(KeyId key, Entry& entry);
  void collect(const ReadView& read, std::vector<KeyId>& out) const;

  ReadersByRead readers_;
  std::unordered_map<KeyId, std::vector<Entry*>> reads_;  // by address
  std::map<client::KindName, std::vector<Sort>> sorts_;
};

}  // namespace chandler::controller
