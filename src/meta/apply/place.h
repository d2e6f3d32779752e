// Where a walk over a document is, as ownership of fields sees it: what the schema says there, and which members are
// nobody's because the server keeps them. Unknown places have no schema: maps are walked, lists are one piece.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/sorted_members.h"
#include "json/value.h"
#include "meta/schema_node.h"

namespace chandler::meta {

// Which part of an object a request is about.
struct FieldScope {
  bool builtin = false;      // structs of built-in kinds are always there, so nobody owns one as such
  std::string_view only;     // one member of the object; all when empty
  std::string_view without;  // a member that is left out
};

struct Place {
  enum class Level { kRoot, kMetadata, kInner };

  // What lies deeper is owned as a whole: the record of a field is nested as deeply as the field, and some more, and
  // an object must stay readable with it.
  static constexpr int kMaxDepth = 100;

  const SchemaNode* schema = nullptr;
  Level level = Level::kInner;
  int depth = 0;

  static Place root(const SchemaNode* schema) { return {schema, Level::kRoot, 0}; }
  Place member(std::string_view name) const;
  Place item() const { return {schema == nullptr ? nullptr : schema->items, Level::kInner, depth + 1}; }

  // The schema names this member; other members are keys of a map.
  bool declares(std::string_view name) const;
  // Whether members are owned one by one; so are items.
  bool is_granular_map() const { return depth < kMaxDepth && (schema == nullptr || !schema->has(kAtomicMap)); }
  bool is_granular_list() const {
    return depth < kMaxDepth && schema != nullptr &&
           (schema->list_type == ListType::kSet || schema->list_type == ListType::kMap);
  }
  // The schema says that this is one piece; where there is no schema nothing is known.
  bool is_one_piece() const {
    return schema != nullptr && (schema->has(kAtomicMap) || (schema->types == kTypeArray && !is_granular_list()));
  }
  // An object with named members, not a map with keys of the user's.
  bool is_struct() const { return schema != nullptr && !schema->properties.empty(); }
  // Metadata is nobody's as such; what is in it may be somebody's.
  bool may_be_owned() const { return level != Level::kMetadata; }
  // Members that somebody may own, not the server's own; at the root those of the scope.
  bool is_tracked(std::string_view name, const FieldScope& scope) const;

  // The element of a list's item: k:{...} or v:.... Nothing when a map's item lacks a key that has no default, or one
  // so long that an element should not repeat it.
  std::optional<std::string> item_element(const json::Value& item) const;
};

// The value is owned as a whole: a scalar, something atomic, or something empty.
bool is_leaf(const Place& place, const json::Value& value);

// Members that are tracked, in the order of their names.
template <typename Visit>
void for_each_tracked(const Place& place, const FieldScope& scope, const json::Object& object, Visit visit) {
  json::for_each_sorted(object, [&](const json::Member& member) {
    const std::string_view name = json::key_of(member);
    if (place.is_tracked(name, scope)) visit(name, member.value());
  });
}

std::string field_element(std::string_view name);
// An element as a member's name in JSON, appended.
void write_element(std::string& out, char prefix, std::string_view name);

}  // namespace chandler::meta
