// How cells read documents: absent, null and wrongly typed members count as empty, so that no document can make a cell
// fail. Pure.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "json/value.h"

namespace chandler::apiserver::cells {

using Names = std::initializer_list<std::string_view>;

std::string_view text_at(const json::Value& value, Names path);  // "" when there is none
int64_t int_at(const json::Value& value, Names path);            // 0 when there is none
const json::Array& array_at(const json::Value& value, Names path);
const json::Object& object_at(const json::Value& value, Names path);
bool has(const json::Value& value, Names path);  // there and not null

// Time since an RFC 3339 text in short form; `<unknown>` when it is none.
std::string age(std::string_view time, WallTime now);

// The condition of that type in status.conditions; null when there is none.
const json::Value* condition(const json::Value& object, std::string_view type);
bool condition_holds(const json::Value& object, std::string_view type);  // its status is "True"

// Strings of an array.
std::vector<std::string> texts(const json::Array& array);
// "a=b,c=d" sorted by key; `<none>` when empty.
std::string pairs(const json::Object& object);

template <typename... T>
std::string_view first_of(std::string_view text, T... others) {
  if constexpr (sizeof...(others) == 0) {
    return text;
  } else {
    return text.empty() ? first_of(others...) : text;
  }
}

}  // namespace chandler::apiserver::cells
