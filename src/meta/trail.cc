#include "meta/trail.h"

#include "meta/schema_node.h"

namespace chandler::meta {

const json::Value* Trail::same_place(const json::Value& old_root) const {
  if (parent == nullptr) return &old_root;
  const json::Value* above = parent->same_place(old_root);
  if (above == nullptr) return nullptr;
  if (!is_item) return json::find(*above, name);
  const auto* items = above->if_array();
  if (items == nullptr) return nullptr;
  const SchemaNode& list = *parent->schema;
  if (list.list_type != ListType::kMap || list.strategy == nullptr) {
    return index < items->size() ? &(*items)[index] : nullptr;
  }
  for (const auto& item : *items) {
    bool same = true;
    for (const auto& key : list.strategy->map_keys) {
      const auto* now = json::find(*value, key);
      const auto* before = json::find(item, key);
      same = same && now != nullptr && before != nullptr && json::equal(*now, *before);
    }
    if (same) return &item;
  }
  return nullptr;
}

Path Trail::path(const Path& base) const {
  if (parent == nullptr) return base;
  const Path above = parent->path(base);
  return is_item ? above.index(index) : above.member(name);
}

}  // namespace chandler::meta
