// Where a walk over a document is, as a chain of stack frames: going down costs a few stores, and only a fault turns
// the chain into a Path. A frame must not outlive the walk.
#pragma once

#include <string_view>

#include "json/value.h"
#include "meta/field_error.h"

namespace chandler::meta {

struct SchemaNode;

// Reports stop after this many bytes of paths: one document must not become a thousand times its size in messages.
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
  // The value at the same place of an older document, items of a map list matched by key; null when there is none.
  const json::Value* same_place(const json::Value& old_root) const;
};

}  // namespace chandler::meta
