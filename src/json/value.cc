#include "json/value.h"

#include <cmath>

namespace chandler::json {
namespace {

// A double equals an integer only when it is exactly that integer; converting the integer instead would round it.
template <typename Integer>
bool equals_integer(double number, Integer integer) {
  constexpr double kLimit = std::is_signed_v<Integer> ? 0x1p63 : 0x1p64;
  constexpr double kFloor = std::is_signed_v<Integer> ? -0x1p63 : 0.0;
  return number >= kFloor && number < kLimit && std::trunc(number) == number && static_cast<Integer>(number) == integer;
}

bool equal_numbers(const Value& a, const Value& b) {
  if (a.is_double() && b.is_double()) return a.get_double() == b.get_double();
  if (b.is_double()) return equal_numbers(b, a);
  if (a.is_double()) {
    return b.is_int64() ? equals_integer(a.get_double(), b.get_int64())
                        : equals_integer(a.get_double(), b.get_uint64());
  }
  if (a.kind() == b.kind()) return a.is_int64() ? a.get_int64() == b.get_int64() : a.get_uint64() == b.get_uint64();
  return a.is_int64() ? std::cmp_equal(a.get_int64(), b.get_uint64()) : std::cmp_equal(a.get_uint64(), b.get_int64());
}

bool equal_objects(const Object& a, const Object& b) {
  if (a.size() != b.size()) return false;
  for (const auto& member : a) {
    const Value* other = b.if_contains(member.key());
    if (other == nullptr || !equal(member.value(), *other)) return false;
  }
  return true;
}

bool equal_arrays(const Array& a, const Array& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!equal(a[i], b[i])) return false;
  }
  return true;
}

}  // namespace

const Value* find(const Value& value, std::string_view key) {
  const Object* object = value.if_object();
  return object == nullptr ? nullptr : object->if_contains(key);
}

Value* find(Value& value, std::string_view key) {
  Object* object = value.if_object();
  return object == nullptr ? nullptr : object->if_contains(key);
}

const Value* find_path(const Value& value, std::initializer_list<std::string_view> path) {
  const Value* at = &value;
  for (std::string_view key : path) {
    at = find(*at, key);
    if (at == nullptr) return nullptr;
  }
  return at;
}

Value* find_path(Value& value, std::initializer_list<std::string_view> path) {
  return const_cast<Value*>(find_path(std::as_const(value), path));
}

std::optional<std::string_view> string_at(const Value& value, std::string_view key) {
  const Value* member = find(value, key);
  if (member == nullptr || !member->is_string()) return std::nullopt;
  return view(member->get_string());
}

std::optional<int64_t> int_at(const Value& value, std::string_view key) {
  const Value* member = find(value, key);
  if (member == nullptr || !member->is_int64()) return std::nullopt;
  return member->get_int64();
}

std::optional<bool> bool_at(const Value& value, std::string_view key) {
  const Value* member = find(value, key);
  if (member == nullptr || !member->is_bool()) return std::nullopt;
  return member->get_bool();
}

const Object* object_at(const Value& value, std::string_view key) {
  const Value* member = find(value, key);
  return member == nullptr ? nullptr : member->if_object();
}

const Array* array_at(const Value& value, std::string_view key) {
  const Value* member = find(value, key);
  return member == nullptr ? nullptr : member->if_array();
}

std::string string_or(const Value& value, std::string_view key, std::string_view fallback) {
  return std::string(string_at(value, key).value_or(fallback));
}

bool equal(const Value& a, const Value& b) {
  if (a.is_number()) return b.is_number() && equal_numbers(a, b);
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case boost::json::kind::object:
      return equal_objects(a.get_object(), b.get_object());
    case boost::json::kind::array:
      return equal_arrays(a.get_array(), b.get_array());
    case boost::json::kind::string:
      return view(a.get_string()) == view(b.get_string());
    case boost::json::kind::bool_:
      return a.get_bool() == b.get_bool();
    default:
      return true;  // null
  }
}

size_t memory_of(const Value& value) {
  size_t bytes = sizeof(value);
  if (const auto* object = value.if_object()) {
    for (const auto& member : *object) bytes += member.key().size() + memory_of(member.value());
  } else if (const auto* list = value.if_array()) {
    for (const auto& item : *list) bytes += memory_of(item);
  } else if (const auto* text = value.if_string()) {
    bytes += text->size();
  }
  return bytes;
}

std::string_view type_name(const Value& value) {
  switch (value.kind()) {
    case boost::json::kind::object:
      return "object";
    case boost::json::kind::array:
      return "array";
    case boost::json::kind::string:
      return "string";
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
      return "integer";
    case boost::json::kind::double_:
      return "number";
    case boost::json::kind::bool_:
      return "boolean";
    case boost::json::kind::null:
      return "null";
  }
  return "null";
}

}  // namespace chandler::json
