#include "meta/structural_rules.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

namespace chandler::meta {
namespace {

enum class Level { kRoot, kField, kItem };

const std::vector<std::string> kTypes = {"array", "boolean", "integer", "number", "object", "string"};

bool is_true(const json::Value& schema, std::string_view keyword) {
  return json::bool_at(schema, keyword).value_or(false);
}

std::string type_of(const json::Value& schema) { return json::string_or(schema, "type"); }

bool is_type_only(const json::Value& schema, std::string_view type) {
  const auto* object = schema.if_object();
  return object != nullptr && object->size() == 1 && type_of(schema) == type;
}

// anyOf: [{type: integer}, {type: string}], which int-or-string schemas may spell out.
bool is_int_or_string_any_of(const json::Value& schema) {
  const auto* any_of = json::array_at(schema, "anyOf");
  return any_of != nullptr && any_of->size() == 2 && is_type_only((*any_of)[0], "integer") &&
         is_type_only((*any_of)[1], "string");
}

class StructuralRules {
 public:
  StructuralRules(const CompileOptions& options, bool fragment, FieldErrors& errors)
      : built_in_(options.allow_metadata || options.fragments != nullptr), fragment_(fragment), errors_(errors) {}

  void check(const json::Value& schema, const Path& path, Level level) {
    if (!schema.is_object()) return;
    if (built_in_ && json::string_at(schema, "$ref")) return;
    check_forbidden(schema, path);
    check_type(schema, path, level);
    check_children(schema, path, level);
    check_resource(schema, path, level);
    check_extensions(schema, path);
    check_list_type(schema, path);
    check_map_type(schema, path);
    check_compositions(schema, path);
  }

 private:
  void check_forbidden(const json::Value& schema, const Path& path) {
    constexpr std::array<std::string_view, 7> kForbidden = {
        "id", "$schema", "$ref", "additionalItems", "patternProperties", "definitions", "dependencies"};
    for (std::string_view keyword : kForbidden) {
      const auto* value = json::find(schema, keyword);
      if (value != nullptr && !value->is_null()) {
        errors_.forbidden(path.member(keyword), fmt::format("{} is not supported", keyword));
      }
    }
    if (is_true(schema, "uniqueItems")) {
      errors_.forbidden(path.member("uniqueItems"),
                        "uniqueItems cannot be set to true, comparing all items costs too much; use "
                        "x-kubernetes-list-type: set");
    }
  }

  void check_type(const json::Value& schema, const Path& path, Level level) {
    const Path here = path.member("type");
    const std::string type = type_of(schema);
    if (type.empty()) {
      const bool typeless =
          is_true(schema, "x-kubernetes-int-or-string") || is_true(schema, "x-kubernetes-preserve-unknown-fields");
      if (level == Level::kRoot || !typeless || is_true(schema, "x-kubernetes-embedded-resource")) {
        errors_.required(here, level == Level::kRoot   ? "must not be empty at the root"
                               : level == Level::kItem ? "must not be empty for specified array items"
                                                       : "must not be empty for specified object fields");
      }
    } else if (type == "null") {
      errors_.forbidden(here, "type cannot be set to null, use nullable as an alternative");
    } else if (std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end()) {
      errors_.not_supported(here, *json::find(schema, "type"), kTypes);
    } else if (level == Level::kRoot && type != "object") {
      errors_.invalid(here, type, "must be object at the root");
    } else if (type != "object" && is_true(schema, "x-kubernetes-embedded-resource")) {
      errors_.invalid(here, type, "must be object if x-kubernetes-embedded-resource is true");
    }
    if (level == Level::kRoot && is_true(schema, "nullable")) {
      errors_.forbidden(path.member("nullable"), "nullable cannot be true at the root");
    }
  }

  void check_children(const json::Value& schema, const Path& path, Level level) {
    const auto* properties = json::object_at(schema, "properties");
    if (const auto* additional = json::find(schema, "additionalProperties")) {
      const Path here = path.member("additionalProperties");
      if (properties != nullptr && !properties->empty()) {
        errors_.forbidden(here, "additionalProperties and properties exclude each other");
      } else if (level == Level::kRoot || is_true(schema, "x-kubernetes-embedded-resource")) {
        errors_.forbidden(here, "must not be used at the root of a resource");
      } else if (additional->is_bool() && !additional->get_bool()) {
        errors_.forbidden(here, "additionalProperties cannot be set to false");
      }
      check(*additional, here, Level::kField);
    }
    const auto* items = json::find(schema, "items");
    const Path items_path = path.member("items");
    if (items != nullptr && items->is_array()) {
      errors_.forbidden(items_path, "items must be a schema object and not an array");
    } else if (items != nullptr && !items->is_null()) {
      check(*items, items_path, Level::kItem);
    } else if (type_of(schema) == "array") {
      errors_.required(items_path, "must be specified");
    }
    if (properties == nullptr) return;
    for (const auto& property : *properties) {
      check(property.value(), path.member("properties").key(property.key()), Level::kField);
    }
  }

  // apiVersion, kind and metadata belong to the API. How little a definition may say of its root's metadata is a rule
  // of writing definitions (src/admission/crd_schemas.h), since stored ones from before the rule go on being served.
  void check_resource(const json::Value& schema, const Path& path, Level level) {
    const bool embedded = is_true(schema, "x-kubernetes-embedded-resource");
    if (built_in_ || (level != Level::kRoot && !embedded)) return;
    const Path properties = path.member("properties");
    for (std::string_view name : {"apiVersion", "kind", "metadata"}) {
      const auto* property = json::find_path(schema, {"properties", name});
      if (property == nullptr) continue;
      const std::string_view type = name == "metadata" ? "object" : "string";
      if (type_of(*property) != type) {
        errors_.invalid(properties.key(name).member("type"), type_of(*property), fmt::format("must be {}", type));
      }
      if (level == Level::kRoot && json::find(*property, "default") != nullptr) {
        errors_.forbidden(properties.key(name).member("default"), fmt::format("must not be set in top-level {}", name));
      }
    }
    if (embedded && !is_true(schema, "x-kubernetes-preserve-unknown-fields") &&
        json::object_at(schema, "properties") == nullptr) {
      errors_.required(properties,
                       "must not be empty if x-kubernetes-embedded-resource is true without "
                       "x-kubernetes-preserve-unknown-fields");
    }
  }

  void check_extensions(const json::Value& schema, const Path& path) {
    const Path preserve = path.member("x-kubernetes-preserve-unknown-fields");
    const auto preserves = json::bool_at(schema, "x-kubernetes-preserve-unknown-fields");
    if (preserves && !*preserves) errors_.invalid(preserve, json::Value(false), "must be true or undefined");
    if (is_true(schema, "x-kubernetes-int-or-string")) {
      if (preserves.value_or(false)) errors_.forbidden(preserve, "must be false if x-kubernetes-int-or-string is true");
      if (is_true(schema, "x-kubernetes-embedded-resource")) {
        errors_.forbidden(path.member("x-kubernetes-embedded-resource"),
                          "must be false if x-kubernetes-int-or-string is true");
      }
    }
    if (fragment_ && json::find(schema, "x-kubernetes-validations") != nullptr) {
      errors_.forbidden(path.member("x-kubernetes-validations"),
                        "rules stand in the file of a kind, not in a fragment");
    }
  }

  void require_type(const json::Value& schema, const Path& path, std::string_view type, std::string_view because) {
    const std::string given = type_of(schema);
    if (given == type) return;
    const std::string detail = fmt::format("must be {} if {} is specified", type, because);
    if (!given.empty()) return errors_.invalid(path.member("type"), given, detail);
    errors_.required(path.member("type"), detail);
  }

  void check_map_type(const json::Value& schema, const Path& path) {
    const auto* map_type = json::find(schema, "x-kubernetes-map-type");
    if (map_type == nullptr || !map_type->is_string()) return;
    require_type(schema, path, "object", "x-kubernetes-map-type");
    const std::string_view kind = json::view(map_type->get_string());
    if (kind != "granular" && kind != "atomic") {
      errors_.not_supported(path.member("x-kubernetes-map-type"), *map_type, {"atomic", "granular"});
    }
  }

  void check_list_type(const json::Value& schema, const Path& path) {
    const Path here = path.member("x-kubernetes-list-type");
    const auto* keys = json::array_at(schema, "x-kubernetes-list-map-keys");
    const auto list_type = json::string_at(schema, "x-kubernetes-list-type");
    if (keys != nullptr && !keys->empty() && list_type != "map") {
      constexpr std::string_view kDetail = "must be map if x-kubernetes-list-map-keys is non-empty";
      list_type ? errors_.invalid(here, *list_type, kDetail) : errors_.required(here, kDetail);
    }
    if (!list_type) return;
    require_type(schema, path, "array", "x-kubernetes-list-type");
    const auto* items = json::find(schema, "items");
    if (*list_type == "map") {
      check_map_list(items, keys, path);
    } else if (*list_type == "set") {
      check_set_items(items, path);
    } else if (*list_type != "atomic") {
      errors_.not_supported(here, *json::find(schema, "x-kubernetes-list-type"), {"atomic", "map", "set"});
    }
  }

  void check_map_list(const json::Value* items, const json::Array* keys, const Path& path) {
    const Path keys_path = path.member("x-kubernetes-list-map-keys");
    if (keys == nullptr || keys->empty()) {
      errors_.required(keys_path, "must not be empty if x-kubernetes-list-type is map");
      return;
    }
    if (items == nullptr || !items->is_object() || (built_in_ && json::find(*items, "$ref") != nullptr)) return;
    const Path items_path = path.member("items");
    if (type_of(*items) != "object") {
      errors_.invalid(items_path.member("type"), type_of(*items),
                      "must be object if the list around it has x-kubernetes-list-type map");
    }
    check_item_not_nullable(*items, path);
    std::set<std::string_view> required;
    if (const auto* names = json::array_at(*items, "required")) {
      for (const auto& name : *names) {
        if (name.is_string()) required.insert(json::view(name.get_string()));
      }
    }
    std::set<std::string_view> seen;
    for (size_t i = 0; i < keys->size(); ++i) {
      if (!(*keys)[i].is_string()) continue;
      const std::string_view key = json::view((*keys)[i].get_string());
      if (!seen.insert(key).second) errors_.duplicate(keys_path.index(i), (*keys)[i]);
      const auto* property = json::find_path(*items, {"properties", key});
      if (property == nullptr) {
        errors_.invalid(keys_path.index(i), key, "must be the name of a property of the items");
      } else {
        check_map_key(*property, required.contains(key), items_path.member("properties").key(key));
      }
    }
  }

  void check_map_key(const json::Value& property, bool is_required, const Path& path) {
    const std::string type = type_of(property);
    if (type == "object" || type == "array") {
      errors_.invalid(path.member("type"), type, "must be a scalar: the property is in x-kubernetes-list-map-keys");
    }
    if (is_true(property, "nullable")) {
      errors_.forbidden(path.member("nullable"),
                        "the property is in x-kubernetes-list-map-keys, it cannot be nullable");
    }
    if (!is_required && json::find(property, "default") == nullptr) {
      errors_.required(path.member("default"),
                       "the property is in x-kubernetes-list-map-keys, it must have a default or be required");
    }
  }

  void check_set_items(const json::Value* items, const Path& path) {
    if (items == nullptr || !items->is_object()) return;
    check_item_not_nullable(*items, path);
    for (auto [type, keyword] : {std::pair<std::string_view, std::string_view>{"object", "x-kubernetes-map-type"},
                                 {"array", "x-kubernetes-list-type"}}) {
      if (type_of(*items) != type || json::string_or(*items, keyword) == "atomic") continue;
      errors_.invalid(path.member("items").member(keyword), json::string_or(*items, keyword),
                      "must be atomic: the items are in a list with x-kubernetes-list-type set");
    }
  }

  void check_item_not_nullable(const json::Value& items, const Path& path) {
    if (!is_true(items, "nullable")) return;
    errors_.forbidden(path.member("items").member("nullable"),
                      "cannot be nullable in a list with x-kubernetes-list-type map or set");
  }

  void check_compositions(const json::Value& schema, const Path& path) {
    const bool int_or_string = is_true(schema, "x-kubernetes-int-or-string");
    for (std::string_view keyword : {"allOf", "anyOf", "oneOf"}) {
      const auto* alternatives = json::array_at(schema, keyword);
      if (alternatives == nullptr) continue;
      if (int_or_string && keyword == "anyOf" && is_int_or_string_any_of(schema)) continue;
      for (size_t i = 0; i < alternatives->size(); ++i) {
        const auto& alternative = (*alternatives)[i];
        if (int_or_string && keyword == "allOf" && i == 0 && is_int_or_string_any_of(alternative)) continue;
        check_nested(alternative, path.member(keyword).index(i));
        check_complete(alternative, &schema, path);
      }
    }
    if (const auto* negated = json::find(schema, "not")) {
      check_nested(*negated, path.member("not"));
      check_complete(*negated, &schema, path);
    }
  }

  // Inside a composition only value constraints may stand: what prunes, defaults or merges is said once, outside.
  void check_nested(const json::Value& schema, const Path& path) {
    if (!schema.is_object()) return;
    check_forbidden(schema, path);
    for (const auto& keyword : schema.get_object()) {
      const std::string_view name = keyword.key();
      const bool structure = name == "type" || name == "default" || name == "title" || name == "description" ||
                             name == "nullable" || name == "additionalProperties" || name.starts_with("x-kubernetes-");
      if (structure) errors_.forbidden(path.member(name), "must be empty to be structural");
    }
    if (const auto* items = json::find(schema, "items")) check_nested(*items, path.member("items"));
    if (const auto* properties = json::object_at(schema, "properties")) {
      for (const auto& property : *properties) {
        check_nested(property.value(), path.member("properties").key(property.key()));
      }
    }
    for (std::string_view keyword : {"allOf", "anyOf", "oneOf"}) {
      const auto* alternatives = json::array_at(schema, keyword);
      for (size_t i = 0; alternatives != nullptr && i < alternatives->size(); ++i) {
        check_nested((*alternatives)[i], path.member(keyword).index(i));
      }
    }
    if (const auto* negated = json::find(schema, "not")) check_nested(*negated, path.member("not"));
  }

  // Every field that a composition constrains must be specified outside of it, at `outer`.
  void check_complete(const json::Value& nested, const json::Value* outer, const Path& path) {
    if (const auto* properties = json::object_at(nested, "properties")) {
      for (const auto& property : *properties) {
        const std::string_view name = property.key();
        const auto* known = json::find_path(*outer, {"properties", name});
        const Path here = path.member("properties").key(name);
        if (known == nullptr) {
          errors_.required(here, "must be specified, a composition constrains it");
        } else {
          check_complete(property.value(), known, here);
        }
      }
    }
    if (const auto* items = json::find(nested, "items"); items != nullptr && items->is_object()) {
      const auto* known = json::find(*outer, "items");
      if (known == nullptr) {
        errors_.required(path.member("items"), "must be specified, a composition constrains it");
      } else {
        check_complete(*items, known, path.member("items"));
      }
    }
    for (std::string_view keyword : {"allOf", "anyOf", "oneOf"}) {
      const auto* alternatives = json::array_at(nested, keyword);
      for (size_t i = 0; alternatives != nullptr && i < alternatives->size(); ++i) {
        check_complete((*alternatives)[i], outer, path);
      }
    }
    if (const auto* negated = json::find(nested, "not")) check_complete(*negated, outer, path);
  }

  bool built_in_;
  bool fragment_;
  FieldErrors& errors_;
};

}  // namespace

void check_structural(const json::Value& schema, const Path& path, const CompileOptions& options, FieldErrors& errors) {
  StructuralRules(options, false, errors).check(schema, path, Level::kRoot);
}

void check_structural_fragment(const json::Value& schema, const Path& path, const CompileOptions& options,
                               FieldErrors& errors) {
  StructuralRules(options, true, errors).check(schema, path, Level::kField);
}

}  // namespace chandler::meta
