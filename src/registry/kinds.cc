#include "registry/kinds.h"

#include "base/check.h"

namespace chandler::registry {

KindPtr Kinds::find(std::string_view group, std::string_view plural) const {
  const auto it = by_resource_.find(Less::Names(group, plural));
  return it == by_resource_.end() ? nullptr : it->second;
}

KindPtr Kinds::find_kind(std::string_view group, std::string_view kind) const {
  for (const auto& k : all_) {
    if (k->group == group && k->kind == kind) return k;
  }
  return nullptr;
}

bool Kinds::knows(std::string_view group, std::string_view version) const {
  auto it = by_resource_.lower_bound(Less::Names(group, ""));
  for (; it != by_resource_.end() && it->first.first == group; ++it) {
    if (it->second->builtin || it->second->version(version) != nullptr) return true;
  }
  return false;
}

KindTable::KindTable() : current_(std::make_shared<Kinds>()) {}

KindsPtr KindTable::current() const {
  ReadLock lock(mutex_);
  return current_;
}

template <typename Change>
void KindTable::change(Change&& apply) {
  WriteLock lock(mutex_);
  auto next = std::make_shared<Kinds>(*current_);
  apply(next->by_resource_);
  next->all_.clear();
  for (const auto& [name, kind] : next->by_resource_) next->all_.push_back(kind);
  ++next->generation_;
  current_ = std::move(next);
}

void KindTable::put(KindPtr kind) { put_all({std::move(kind)}); }

void KindTable::put_all(const std::vector<KindPtr>& kinds) {
  change([&](auto& table) {
    for (const auto& kind : kinds) {
      for (const auto& version : kind->versions) CH_CHECK(!version.api_version.empty());  // Kind::finish() was called
      table[{kind->group, kind->plural}] = kind;
    }
  });
}

void KindTable::remove(std::string_view group, std::string_view plural) {
  change([&](auto& table) { table.erase({std::string(group), std::string(plural)}); });
}

}  // namespace chandler::registry
