// The kinds that are served at this moment. Readers take an immutable snapshot; writers (CRD changes) swap in a new
// one.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "registry/kind.h"

namespace chandler::registry {

// One state of the table. Immutable.
class Kinds {
 public:
  KindPtr find(std::string_view group, std::string_view plural) const;
  KindPtr find_kind(std::string_view group, std::string_view kind) const;
  // "" when the kind's names are free in its group, else which one is taken by what.
  std::string name_conflict(const Kind& wanted) const;
  // True when something of this version is served, or the group is one of Kubernetes' own: requests below it then name
  // a resource, existing or not.
  bool knows(std::string_view group, std::string_view version) const;
  const std::vector<KindPtr>& all() const { return all_; }  // by group, then plural; keep the snapshot while using it
  std::span<const KindPtr> of_group(std::string_view group) const;  // a stretch of all()
  uint64_t generation() const { return generation_; }               // grows with every change of the table

 private:
  friend class KindTable;
  // Found by views of a group and a name: every read and write asks for a kind.
  struct Less {
    using is_transparent = void;
    using Names = std::pair<std::string_view, std::string_view>;
    bool operator()(const Names& a, const Names& b) const { return a < b; }
  };
  using Table = std::map<std::pair<std::string, std::string>, KindPtr, Less>;
  Table by_resource_;
  Table by_kind_;
  std::vector<KindPtr> all_;
  uint64_t generation_ = 0;
};
using KindsPtr = std::shared_ptr<const Kinds>;

// Thread-safe.
class KindTable {
 public:
  KindTable();
  KindsPtr current() const CH_EXCLUDES(mutex_);
  void put(KindPtr kind) CH_EXCLUDES(mutex_);
  void put_all(const std::vector<KindPtr>& kinds) CH_EXCLUDES(mutex_);
  void remove(std::string_view group, std::string_view plural) CH_EXCLUDES(mutex_);

 private:
  template <typename Change>
  void change(Change&& apply) CH_EXCLUDES(mutex_);

  mutable SharedMutex mutex_;
  KindsPtr current_ CH_GUARDED_BY(mutex_);
};

}  // namespace chandler::registry
