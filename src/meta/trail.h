// Where a walk over a document is, as a chain of stack frames: going down costs a few stores, and only a fault turns
// the chain into a Path. A frame must not outlive the walk.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "json/value.h"
#include "meta/field_error.h"

namespace chandler::meta {

struct SchemaNode;

// Reports stop after this many bytes: one document must not become a thousand times its size in messages.
constexpr size_t kMaxReportBytes = 256 * 1024;

struct Trail {
  const SchemaNode* schema = nullptr;  // of the value at this place
  const json::Value* value = nullptr;
  const Trail* parent = nullptr;
  std::string_view name = {};  // member of the parent; unused for list items
  size_t index = 0;
  bool is_item = false;

  Trail member(std::string_view key, const SchemaNode& node, const json::Value& v) const {
    return {&node, &v, this, key, 0, false};
  }
  Trail item(size_t i, const SchemaNode& node, const json::Value& v) const { return {&node, &v, this, {}, i, true}; }

  Path path(const Path& base) const;
};

// The state of a document before a change, asked place by place whether that place has changed. What an answer took to
// find is remembered, also for the places above, so asking about every value costs about as much as the document is
// large. Belongs to one walk over the new state, which outlives it, as the old one does.
class OldDocument {
 public:
  explicit OldDocument(const json::Value& root) : root_(root) {}
  OldDocument(const OldDocument&) = delete;
  OldDocument& operator=(const OldDocument&) = delete;

  // Whether the value of the trail was there before, at the same place; items of a map list are matched by key.
  bool has_same(const Trail& trail);

 private:
  // No hash table: the client chooses the keys, and could choose those of one hash.
  using ItemsByKey = std::map<std::string, const json::Value*>;

  const json::Value* find(const Trail& trail);
  const json::Value* find_below(const json::Value& above, const Trail& trail);
  const ItemsByKey& items_by_key(const json::Array& list, const SchemaNode& schema);

  const json::Value& root_;
  std::unordered_map<const json::Value*, const json::Value*> before_;  // by value of the new state
  std::unordered_map<const json::Value*, bool> same_;                  // likewise
  std::unordered_map<const json::Array*, ItemsByKey> map_lists_;
};

// What tells an item of a map list from the others, as a text. A key that the item lacks is left out.
std::string map_key(const json::Value& item, const SchemaNode& list);

}  // namespace chandler::meta
