#include "apiserver/openapi_schemas.h"

#include <algorithm>

#include "apiserver/openapi_meta.h"
#include "base/text.h"
#include "json/reader.h"
#include "registry/kind_loader.h"

namespace chandler::apiserver {
namespace {

constexpr std::string_view kFragmentPrefix = "fragment/";

// Keywords that are copied as they are; those with schemas below them are converted.
bool is_plain_keyword(std::string_view key) {
  static constexpr std::string_view kPlain[] = {
      "title",      "description", "type",     "format",        "enum",          "pattern",         "required",
      "minimum",    "maximum",     "minItems", "maxItems",      "minLength",     "maxLength",       "exclusiveMinimum",
      "multipleOf", "uniqueItems", "default",  "minProperties", "maxProperties", "exclusiveMaximum"};
  return std::find(std::begin(kPlain), std::end(kPlain), key) != std::end(kPlain);
}

bool is_patch_keyword(std::string_view key) { return key.starts_with("x-kubernetes-patch-"); }

bool flag(const json::Object& schema, std::string_view key) {
  const auto* value = schema.if_contains(key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

// Swagger 2 cannot say that unknown members are welcome beside known ones; clients that check then refuse them.
bool is_free(const json::Object& schema) {
  return flag(schema, "x-kubernetes-preserve-unknown-fields") || flag(schema, "x-kubernetes-embedded-resource");
}

std::string shared_name(std::string_view name) {
  if (name == "IntOrString") return "io.k8s.apimachinery.pkg.util.intstr.IntOrString";
  if (name == "Quantity") return "io.k8s.apimachinery.pkg.api.resource.Quantity";
  if (name == "Scale") return "io.k8s.api.autoscaling.v1.Scale";
  if (name == "TokenRequest") return "io.k8s.api.authentication.v1.TokenRequest";
  if (name == "ObjectMeta" || !meta_schema(name).empty())
    return "io.k8s.apimachinery.pkg.apis.meta.v1." + std::string(name);
  return "io.chandler.fragments." + std::string(name);
}

std::string reversed(std::string_view group) {
  auto labels = split(group, '.');
  std::reverse(labels.begin(), labels.end());
  return join({labels.begin(), labels.end()}, ".");
}

}  // namespace

std::string schema_name(const registry::Kind& kind, const registry::Version& version, std::string_view kind_name) {
  std::string package = kind.builtin
                            ? "io.k8s.api." + std::string(kind.group.empty() ? "core" : split(kind.group, '.')[0])
                            : reversed(kind.group);
  return package + "." + version.name + "." + std::string(kind_name);
}

json::Object kind_reference(const registry::Kind& kind, const registry::Version& version, std::string_view kind_name) {
  return {{"group", kind.group}, {"version", version.name}, {"kind", kind_name}};
}

json::Object SchemaSet::refer_to(std::string_view schema) const {
  const char* root = dialect_ == Dialect::kOpenApi3 ? "#/components/schemas/" : "#/definitions/";
  return {{"$ref", root + std::string(schema)}};
}

Result<const json::Value*> SchemaSet::fragment(std::string_view name) {
  if (const auto it = fragments_.find(name); it != fragments_.end()) return &it->second;
  const auto text = meta_schema(name);
  CH_TRY_LET(document, text.empty() ? registry::EmbeddedKinds::fragment(name) : json::parse(text));
  if (name == "ObjectMeta") {
    CH_TRY_LET(managed_fields, json::parse(meta_schema("ManagedFields")));
    if (auto* properties = json::find(document, "properties"); properties != nullptr && properties->is_object()) {
      properties->get_object()["managedFields"] = std::move(managed_fields);
    }
    document.as_object()["description"] = "Metadata that every object has.";
  }
  return &fragments_.emplace(name, std::move(document)).first->second;
}

Result<json::Object> SchemaSet::refer(std::string_view shared) {
  const auto name = shared_name(shared);
  if (!schemas_.contains(name)) {
    schemas_[name] = nullptr;  // so that a fragment may contain itself
    CH_TRY_LET(source, fragment(shared));
    CH_TRY_LET(schema, convert(*source));
    if (auto* object = schema.if_object(); object != nullptr) {
      // These stand beside each reference (see reference_at); kubectl would print the description twice.
      object->erase("default");
      object->erase("description");
      // Swagger 2 has no oneOf and gets the nearest type instead.
      if (object->contains("oneOf")) object->erase("type");
    }
    schemas_[name] = std::move(schema);
  }
  return refer_to(name);
}

// A reference where `place` stood. What belongs to the place and not to the type stays beside it: clients look there.
json::Value SchemaSet::reference_at(const json::Object& place, json::Object reference) const {
  const bool v3 = dialect_ == Dialect::kOpenApi3;
  json::Object out;
  for (const auto& member : place) {
    const std::string_view key = member.key();
    if (key == "description" || (key == "default" && v3) || is_patch_keyword(key)) out.emplace(key, member.value());
  }
  if (v3) {
    out["allOf"] = json::Array{std::move(reference)};
  } else {
    out["$ref"] = reference["$ref"];
  }
  return out;
}

Result<json::Value> SchemaSet::expand(std::string_view name) {
  CH_TRY_LET(source, fragment(name));
  if (json::object_at(*source, "properties") == nullptr) return convert(*source);
  CH_TRY_LET(reference, refer(name));
  return reference_at(source->get_object(), std::move(reference));
}

Result<json::Value> SchemaSet::number_or_text(const json::Object& schema) {
  const auto* format = schema.if_contains("format");
  CH_TRY_LET(reference, refer(format != nullptr && *format == "quantity" ? "Quantity" : "IntOrString"));
  return reference_at(schema, std::move(reference));
}

Result<json::Value> SchemaSet::convert_list(const json::Value& schemas) {
  json::Array out;
  if (schemas.is_array()) {
    for (const auto& schema : schemas.get_array()) {
      CH_TRY_LET(converted, convert(schema));
      out.push_back(std::move(converted));
    }
  }
  return json::Value(std::move(out));
}

Result<void> SchemaSet::convert_members(const json::Object& schema, json::Object& out) {
  const bool v3 = dialect_ == Dialect::kOpenApi3;
  const bool open = !v3 && is_free(schema);
  for (const auto& member : schema) {
    const std::string_view key = member.key();
    const auto& value = member.value();
    if (open && (key == "type" || key == "required" || key == "properties" || key == "items" ||
                 key == "additionalProperties")) {
      continue;
    }
    if (key == "properties" && value.is_object()) {
      json::Object properties;
      for (const auto& property : value.get_object()) {
        CH_TRY_LET(converted, convert(property.value()));
        properties.emplace(property.key(), std::move(converted));
      }
      out.emplace(key, std::move(properties));
    } else if (key == "items" || key == "additionalProperties" || (key == "not" && v3)) {
      CH_TRY_LET(converted, convert(value));
      out.emplace(key, std::move(converted));
    } else if (v3 && (key == "allOf" || key == "anyOf" || key == "oneOf")) {
      CH_TRY_LET(converted, convert_list(value));
      out.emplace(key, std::move(converted));
    } else if (key == "default" && value.is_null()) {
      continue;  // means "nullable and absent"; OpenAPI has no word for it
    } else if (is_plain_keyword(key) || (key == "nullable" && v3) ||
               (key.starts_with("x-kubernetes-") && (v3 || key != "x-kubernetes-validations"))) {
      out.emplace(key, value);
    }
  }
  return {};
}

Result<json::Value> SchemaSet::convert(const json::Value& schema) {
  const auto* object = schema.if_object();
  if (object == nullptr) return schema;  // additionalProperties: true
  if (const auto reference = json::string_at(schema, "$ref"); reference && reference->starts_with(kFragmentPrefix)) {
    return expand(reference->substr(kFragmentPrefix.size()));
  }
  if (flag(*object, "x-kubernetes-int-or-string")) return number_or_text(*object);
  json::Object out;
  CH_TRY(convert_members(*object, out));
  return json::Value(std::move(out));
}

Result<json::Object> SchemaSet::kind_properties(const json::Object* given) {
  json::Object out{{"apiVersion", json::Object{{"type", "string"},
                                               {"description", "Group and version of the kind, such as apps/v1."}}},
                   {"kind", json::Object{{"type", "string"}, {"description", "Name of the kind, in CamelCase."}}}};
  CH_TRY_LET(metadata, expand("ObjectMeta"));
  out["metadata"] = std::move(metadata);
  if (given != nullptr) {
    for (const auto& property : *given) {
      if (out.contains(property.key())) continue;
      CH_TRY_LET(converted, convert(property.value()));
      out.emplace(property.key(), std::move(converted));
    }
  }
  return out;
}

Result<void> SchemaSet::add_kind(const registry::Kind& kind, const registry::Version& version,
                                 const json::Value& schema) {
  json::Object out;
  if (const auto* source = schema.if_object(); source != nullptr) {
    CH_TRY(convert_members(*source, out));
    if (dialect_ == Dialect::kOpenApi3 || !is_free(*source)) {
      CH_TRY_LET(properties, kind_properties(json::object_at(schema, "properties")));
      out["type"] = "object";
      out["properties"] = std::move(properties);
    }
  }
  out["x-kubernetes-group-version-kind"] = json::Array{kind_reference(kind, version, kind.kind)};
  const auto name = schema_name(kind, version, kind.kind);
  schemas_[name] = std::move(out);

  if (!kind.allows(registry::Verb::kList)) return {};
  CH_TRY_LET(list_meta, expand("ListMeta"));
  CH_TRY_LET(properties, kind_properties(nullptr));
  properties["metadata"] = std::move(list_meta);
  properties["items"] = json::Object{{"type", "array"}, {"description", "The objects."}, {"items", refer_to(name)}};
  schemas_[schema_name(kind, version, kind.list_kind)] =
      json::Object{{"description", "A list of " + kind.kind + " objects."},
                   {"type", "object"},
                   {"required", json::Array{"items"}},
                   {"properties", std::move(properties)},
                   {"x-kubernetes-group-version-kind", json::Array{kind_reference(kind, version, kind.list_kind)}}};
  return {};
}

}  // namespace chandler::apiserver
