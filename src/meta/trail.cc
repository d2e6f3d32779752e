#include "meta/trail.h"

#include <algorithm>
#include <utility>

#include "json/writer.h"
#include "meta/schema_node.h"

namespace chandler::meta {
namespace {

bool has_map_keys(const json::Value& item, const SchemaNode& list) {
  const auto& keys = list.strategy->map_keys;
  return std::all_of(keys.begin(), keys.end(), [&](const auto& key) { return json::find(item, key) != nullptr; });
}

}  // namespace

Path Trail::path(const Path& base) const {
  if (parent == nullptr) return base;
  const Path above = parent->path(base);
  return is_item ? above.index(index) : above.member(name);
}

bool OldDocument::has_same(const Trail& trail) {
  const auto [found, added] = same_.try_emplace(trail.value, false);
  if (added) {
    const json::Value* before = find(trail);
    found->second = before != nullptr && json::equal(*trail.value, *before);
  }
  return found->second;
}

const json::Value* OldDocument::find(const Trail& trail) {
  if (trail.parent == nullptr) return &root_;
  if (const auto known = before_.find(trail.value); known != before_.end()) return known->second;
  const json::Value* above = find(*trail.parent);
  const json::Value* before = above == nullptr ? nullptr : find_below(*above, trail);
  before_.emplace(trail.value, before);
  return before;
}

const json::Value* OldDocument::find_below(const json::Value& above, const Trail& trail) {
  if (!trail.is_item) return json::find(above, trail.name);
  const auto* items = above.if_array();
  if (items == nullptr) return nullptr;
  const SchemaNode& list = *trail.parent->schema;
  if (list.list_type != ListType::kMap || list.strategy == nullptr) {
    return trail.index < items->size() ? &(*items)[trail.index] : nullptr;
  }
  if (!has_map_keys(*trail.value, list)) return nullptr;
  const auto& by_key = items_by_key(*items, list);
  const auto found = by_key.find(map_key(*trail.value, list));
  return found == by_key.end() ? nullptr : found->second;
}

const OldDocument::ItemsByKey& OldDocument::items_by_key(const json::Array& list, const SchemaNode& schema) {
  const auto [found, added] = map_lists_.try_emplace(&list);
  if (added) {
    for (const auto& item : list) {
      if (has_map_keys(item, schema)) found->second.try_emplace(map_key(item, schema), &item);
    }
  }
  return found->second;
}

std::string map_key(const json::Value& item, const SchemaNode& list) {
  json::Array key;
  for (const auto& name : list.strategy->map_keys) {
    if (const auto* part = json::find(item, name)) key.push_back(*part);
  }
  return json::write(json::Value(std::move(key)));
}

}  // namespace chandler::meta
