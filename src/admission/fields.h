// Readers and writers of documents whose JSON types the schema has checked. What is missing or of another type counts
// as empty, so a rule never has to ask twice.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "json/value.h"
#include "meta/field_error.h"

namespace chandler::admission {

inline json::Value text(std::string_view s) { return json::Value(boost::json::string_view(s.data(), s.size())); }

// Present and neither null, "", [] nor {}.
inline bool filled(const json::Value* value) {
  if (value == nullptr || value->is_null()) return false;
  if (const auto* s = value->if_string()) return !s->empty();
  if (const auto* a = value->if_array()) return !a->empty();
  if (const auto* o = value->if_object()) return !o->empty();
  return true;
}
inline bool filled(const json::Value& parent, std::string_view key) { return filled(json::find(parent, key)); }

inline bool present(const json::Value& parent, std::string_view key) {
  const auto* value = json::find(parent, key);
  return value != nullptr && !value->is_null();
}

// The member or null, so that comparing needs no care about what is missing.
inline const json::Value& member(const json::Value& parent, std::string_view key) {
  static const json::Value null;
  const auto* value = json::find(parent, key);
  return value == nullptr ? null : *value;
}

inline bool same(const json::Value& a, const json::Value& b, std::string_view key) {
  const bool empty = !filled(a, key) && !filled(b, key);
  return empty || json::equal(member(a, key), member(b, key));
}

inline std::string name_of(const json::Value& object) { return json::string_or(member(object, "metadata"), "name"); }
inline std::string namespace_of(const json::Value& object) {
  return json::string_or(member(object, "metadata"), "namespace");
}

// Members of `parent` as something to write to; an object is made when there is none.
inline json::Object& object_in(json::Object& parent, std::string_view key) {
  auto& value = parent[key];
  if (!value.is_object()) value.emplace_object();
  return value.get_object();
}
inline json::Object& object_in(json::Value& parent, std::string_view key) {
  if (!parent.is_object()) parent.emplace_object();
  return object_in(parent.get_object(), key);
}

inline void set_default(json::Object& object, std::string_view key, json::Value value) {
  auto& slot = object[key];
  if (slot.is_null()) slot = std::move(value);
}

// Makes the member what it is in `from`, or removes it: what may change is taken out of a comparison.
inline void copy_member(json::Object& to, const json::Value& from, std::string_view key) {
  if (const auto* value = json::find(from, key)) {
    to[key] = *value;
  } else {
    to.erase(key);
  }
}

// Go leaves out empty maps and lists; what a client reads back must not differ from what others store.
inline void drop_if_empty(json::Object& object, std::string_view key) {
  if (!filled(object.if_contains(key))) object.erase(key);
}

// Visits the items of a list: visit(item, path of the item).
template <typename Visit>
void each(const json::Value& parent, std::string_view list, const meta::Path& path, Visit visit) {
  const auto* items = json::array_at(parent, list);
  if (items == nullptr) return;
  const meta::Path list_path = path.member(list);
  for (size_t i = 0; i < items->size(); ++i) visit((*items)[i], list_path.index(i));
}

// The same to change items.
template <typename Visit>
void each(json::Object& parent, std::string_view list, Visit visit) {
  auto* value = parent.if_contains(list);
  if (value == nullptr || !value->is_array()) return;
  for (auto& item : value->get_array()) {
    if (item.is_object()) visit(item.get_object());
  }
}

}  // namespace chandler::admission
