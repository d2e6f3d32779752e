// The JSON document type, and the only header that names the library behind it (Boost.JSON). A Value is mutable and
// belongs to one thread; what is shared between threads is written bytes. Give a Storage (arena) to parse() when the
// document lives only as long as a request.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json.hpp>

namespace chandler::json {

using Value = boost::json::value;
using Object = boost::json::object;
using Array = boost::json::array;
using String = boost::json::string;
using Storage = boost::json::storage_ptr;

inline std::string_view view(const String& s) { return {s.data(), s.size()}; }

// Members of an object; null when `value` is no object or has no such member.
const Value* find(const Value& value, std::string_view key);
Value* find(Value& value, std::string_view key);
// Along a path of object members: find_path(v, {"spec", "names", "plural"}).
const Value* find_path(const Value& value, std::initializer_list<std::string_view> path);
Value* find_path(Value& value, std::initializer_list<std::string_view> path);

// The member as that type; nullopt / null when absent or of another type.
std::optional<std::string_view> string_at(const Value& value, std::string_view key);
std::optional<int64_t> int_at(const Value& value, std::string_view key);
std::optional<bool> bool_at(const Value& value, std::string_view key);
const Object* object_at(const Value& value, std::string_view key);
const Array* array_at(const Value& value, std::string_view key);
std::string string_or(const Value& value, std::string_view key, std::string_view fallback = "");

// Deep equality as JSON means it: numbers by value (1 == 1.0), objects without order.
bool equal(const Value& a, const Value& b);

// Roughly the bytes that a value has in memory: to charge for work that reads all of it.
size_t memory_of(const Value& value);

std::string_view type_name(const Value& value);  // object, array, string, integer, number, boolean, null

// Removes the members for which `is_gone(member)` holds and keeps the order of the others, in time proportional to the
// object. Asks once for each member, in order. Removing a single member moves all that follow it, so erasing in a loop
// would take quadratic time; beyond a few the rest is collected in a new object.
template <typename Predicate>
void erase_members(Object& object, Predicate is_gone) {
  constexpr int kFew = 8;
  int erased = 0;
  for (auto member = object.begin(); member != object.end();) {
    if (!is_gone(*member)) {
      ++member;
    } else if (++erased <= kFew) {
      member = object.stable_erase(member);
    } else {
      Object rest(object.storage());
      rest.reserve(object.size() - 1);
      for (auto kept = object.begin(); kept != object.end(); ++kept) {
        if (kept < member || (kept > member && !is_gone(*kept))) rest.emplace(kept->key(), std::move(kept->value()));
      }
      object = std::move(rest);
      return;
    }
  }
}

}  // namespace chandler::json
