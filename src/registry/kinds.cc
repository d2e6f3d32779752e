#include "registry/kinds.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/check.h"

namespace chandler::registry {

KindPtr Kinds::find(std::string_view group, std::string_view plural) const {
  const auto it = by_resource_.find(Less::Names(group, plural));
  return it == by_resource_.end() ? nullptr : it->second;
}

KindPtr Kinds::find_kind(std::string_view group, std::string_view kind) const {
  const auto it = by_kind_.find(Less::Names(group, kind));
  return it == by_kind_.end() ? nullptr : it->second;
}

std::span<const KindPtr> Kinds::of_group(std::string_view group) const {
  const auto group_of = [](const KindPtr& kind) -> std::string_view { return kind->group; };
  const auto found = std::ranges::equal_range(all_, group, {}, group_of);
  return {found.begin(), found.end()};
}

std::string Kinds::name_conflict(const Kind& wanted) const {
  std::set<std::string_view> asked(wanted.short_names.begin(), wanted.short_names.end());
  asked.insert({wanted.plural, wanted.singular});
  for (const auto& other : of_group(wanted.group)) {
    if (other->plural == wanted.plural) continue;
    std::vector<std::string_view> taken = {other->plural, other->singular};
    taken.insert(taken.end(), other->short_names.begin(), other->short_names.end());
    for (const auto name : taken) {
      if (asked.contains(name)) return fmt::format("\"{}\" is already in use by {}", name, other->plural);
    }
    if (other->kind == wanted.kind || other->list_kind == wanted.list_kind || other->kind == wanted.list_kind) {
      return fmt::format("kind \"{}\" is already in use by {}", wanted.kind, other->plural);
    }
  }
  return "";
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
  next->by_kind_.clear();
  for (const auto& [name, kind] : next->by_resource_) {
    next->all_.push_back(kind);
    next->by_kind_.try_emplace({kind->group, kind->kind}, kind);
  }
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
