#include "admission/crd_schemas.h"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "meta/format.h"
#include "registry/kind_loader.h"

namespace chandler::admission {
namespace {

// Calls `visit` with the path of each version's schema and the schema.
template <typename Visit>
void for_each_schema(const json::Value& spec, const Visit& visit) {
  const auto* versions = json::array_at(spec, "versions");
  for (size_t i = 0; versions != nullptr && i < versions->size(); ++i) {
    const auto* schema = json::find_path((*versions)[i], {"schema", "openAPIV3Schema"});
    if (schema != nullptr) visit(registry::schema_path(versions->size(), i), *schema);
  }
}

// Whether it counts as absent: these are what kube-apiserver cannot tell from a keyword that is not there.
bool is_unsaid(std::string_view keyword, const json::Value& value) {
  if (value.is_bool()) return !value.get_bool();
  if (value.is_string()) return value.get_string().empty();
  const bool optional_list = keyword == "enum" || keyword == "allOf" || keyword == "anyOf" || keyword == "oneOf";
  if (value.is_array()) return optional_list && value.get_array().empty();
  return value.is_null();
}

bool restricts_only_names(const json::Value& properties) {
  const auto* object = properties.if_object();
  return object != nullptr && std::all_of(object->begin(), object->end(), [](const auto& property) {
           return property.key() == "name" || property.key() == "generateName";
         });
}

bool says_too_much(const json::Value& metadata) {
  const auto* keywords = metadata.if_object();
  if (keywords == nullptr) return false;  // the structural rules refuse it
  return std::any_of(keywords->begin(), keywords->end(), [](const auto& keyword) {
    if (keyword.key() == "type" || keyword.key() == "default") return false;
    if (keyword.key() == "properties") return !restricts_only_names(keyword.value());
    return !is_unsaid(keyword.key(), keyword.value());
  });
}

const json::Value* metadata_of(const json::Value& schema) {
  return json::find_path(schema, {"properties", "metadata"});
}

void collect_formats(const json::Value& schema, std::set<std::string>& out) {
  if (!schema.is_object()) return;
  if (const auto format = json::string_or(schema, "format");
      !format.empty() && !meta::is_recognized_format(json::string_or(schema, "type"), format)) {
    out.insert(format);
  }
  for (const std::string_view below : {"items", "additionalProperties", "not"}) {
    if (const auto* child = json::find(schema, below)) collect_formats(*child, out);
  }
  for (const std::string_view list : {"allOf", "anyOf", "oneOf"}) {
    const auto* children = json::array_at(schema, list);
    for (size_t i = 0; children != nullptr && i < children->size(); ++i) collect_formats((*children)[i], out);
  }
  if (const auto* properties = json::object_at(schema, "properties")) {
    for (const auto& property : *properties) collect_formats(property.value(), out);
  }
}

std::set<std::string> unrecognized_formats(const json::Value* spec) {
  std::set<std::string> out;
  if (spec != nullptr)
    for_each_schema(*spec, [&](const meta::Path&, const json::Value& schema) { collect_formats(schema, out); });
  return out;
}

}  // namespace

void check_root_metadata(const json::Value& spec, const json::Value* old, meta::FieldErrors& errors) {
  bool tolerated = false;
  if (old != nullptr) {
    for_each_schema(*old, [&](const meta::Path&, const json::Value& schema) {
      const auto* metadata = metadata_of(schema);
      tolerated = tolerated || (metadata != nullptr && says_too_much(*metadata));
    });
  }
  if (tolerated) return;
  for_each_schema(spec, [&](const meta::Path& path, const json::Value& schema) {
    const auto* metadata = metadata_of(schema);
    if (metadata == nullptr || !says_too_much(*metadata)) return;
    errors.forbidden(
        path.member("properties").key("metadata"),
        "must not specify anything other than name and generateName, but metadata is implicitly specified");
  });
}

void warn_of_formats(const json::Value& spec, const json::Value* old, std::vector<std::string>& warnings) {
  const auto before = unrecognized_formats(old);
  for (const auto& format : unrecognized_formats(&spec)) {
    if (!before.contains(format)) warnings.push_back(fmt::format("unrecognized format \"{}\"", format));
  }
}

}  // namespace chandler::admission
