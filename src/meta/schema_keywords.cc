// Reading keywords of a schema document with their types checked.
#include <cmath>

#include <fmt/format.h>

#include "meta/schema_compiler.h"

namespace chandler::meta {
namespace {

const json::Value* given(const json::Value& schema, std::string_view keyword) {
  const json::Value* value = json::find(schema, keyword);
  return value == nullptr || value->is_null() ? nullptr : value;
}

}  // namespace

std::optional<long double> number_of(const json::Value& value) {
  if (value.is_int64()) return static_cast<long double>(value.get_int64());
  if (value.is_uint64()) return static_cast<long double>(value.get_uint64());
  if (value.is_double()) return static_cast<long double>(value.get_double());
  return std::nullopt;
}

std::optional<bool> SchemaCompiler::flag(const json::Value& schema, std::string_view keyword, const Path& path) {
  const json::Value* value = given(schema, keyword);
  if (value == nullptr) return std::nullopt;
  if (value->is_bool()) return value->get_bool();
  errors_.type_invalid(path.member(keyword), *value, "must be a boolean");
  return std::nullopt;
}

std::optional<uint64_t> SchemaCompiler::count(const json::Value& schema, std::string_view keyword, const Path& path) {
  const json::Value* value = given(schema, keyword);
  if (value == nullptr) return std::nullopt;
  const auto amount = number_of(*value);
  if (amount && *amount >= 0 && *amount < 9.2e18L && std::floor(*amount) == *amount) {
    return static_cast<uint64_t>(*amount);
  }
  errors_.type_invalid(path.member(keyword), *value, "must be a whole number that is not negative");
  return std::nullopt;
}

std::optional<long double> SchemaCompiler::number(const json::Value& schema, std::string_view keyword,
                                                  const Path& path) {
  const json::Value* value = given(schema, keyword);
  if (value == nullptr) return std::nullopt;
  auto amount = number_of(*value);
  if (!amount) errors_.type_invalid(path.member(keyword), *value, "must be a number");
  return amount;
}

std::optional<std::string_view> SchemaCompiler::text(const json::Value& schema, std::string_view keyword,
                                                     const Path& path) {
  const json::Value* value = given(schema, keyword);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return json::view(value->get_string());
  errors_.type_invalid(path.member(keyword), *value, "must be a string");
  return std::nullopt;
}

const json::Array* SchemaCompiler::list(const json::Value& schema, std::string_view keyword, const Path& path) {
  const json::Value* value = given(schema, keyword);
  if (value == nullptr || value->is_array()) return value == nullptr ? nullptr : &value->get_array();
  errors_.type_invalid(path.member(keyword), *value, "must be a list");
  return nullptr;
}

const json::Object* SchemaCompiler::object(const json::Value& schema, std::string_view keyword, const Path& path) {
  const json::Value* value = given(schema, keyword);
  if (value == nullptr || value->is_object()) return value == nullptr ? nullptr : &value->get_object();
  errors_.type_invalid(path.member(keyword), *value, "must be an object");
  return nullptr;
}

std::vector<std::string> SchemaCompiler::texts(const json::Value& schema, std::string_view keyword, const Path& path) {
  const json::Array* values = list(schema, keyword, path);
  return values == nullptr ? std::vector<std::string>() : texts_of(*values, path.member(keyword));
}

std::vector<std::string> SchemaCompiler::texts_of(const json::Array& values, const Path& path) {
  std::vector<std::string> result;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].is_string()) {
      result.emplace_back(json::view(values[i].get_string()));
    } else {
      errors_.type_invalid(path.index(i), values[i], "must be a string");
    }
  }
  return result;
}

Pattern SchemaCompiler::compile_pattern(std::string_view pattern, const Path& path) {
  auto compiled = arena_->patterns.compile(pattern);
  if (compiled.ok()) return std::move(*compiled);
  errors_.invalid(path, pattern, fmt::format("must be a valid regular expression (RE2): {}", compiled.error()));
  return nullptr;
}

}  // namespace chandler::meta
