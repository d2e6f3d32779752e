#include "svcat/usagekinds/openapi_document.h"

#include "json/reader.h"
#include "svcat/catalog/fields.h"

namespace chandler::svcat {
namespace {

constexpr int kMaxHops = 16;
constexpr std::string_view kReference = "#/components/schemas/";

bool is_absent(const Error& error) { return error.reason == Reason::kNotFound || error.reason == Reason::kForbidden; }

bool describes(const json::Value& schema, const DiscoveredKind& kind) {
  const auto* entries = array_at(schema, {"x-kubernetes-group-version-kind"});
  if (entries == nullptr) return false;
  for (const auto& entry : entries->get_array()) {
    if (text_at(entry, {"group"}) == kind.resource.group && text_at(entry, {"version"}) == kind.resource.version &&
        text_at(entry, {"kind"}) == kind.name) {
      return true;
    }
  }
  return false;
}

// The schema of a definition, dressed as the document that the server would have.
Result<json::Value> document_of_definition(Catalog& catalog, const DiscoveredKind& kind) {
  auto definition = catalog.get(definitions_kind(), "", kind.qualified());
  if (!definition.ok()) {
    if (is_absent(definition.error())) return json::Value();
    return std::move(definition).error();
  }
  const auto* versions = array_at(*definition, {"spec", "versions"});
  if (versions == nullptr) return json::Value();
  for (const auto& version : versions->get_array()) {
    const auto* schema = json::find_path(version, {"schema", "openAPIV3Schema"});
    if (schema == nullptr || !schema->is_object() || text_at(version, {"name"}) != kind.resource.version) continue;
    auto described = schema->get_object();
    described["x-kubernetes-group-version-kind"] = json::Array{
        json::Object{{"group", kind.resource.group}, {"version", kind.resource.version}, {"kind", kind.name}}};
    return json::Value(
        json::Object{{"components", json::Object{{"schemas", json::Object{{kind.name, std::move(described)}}}}}});
  }
  return json::Value();
}

// `schema` with what stands along the path from name number `at` on.
json::Value inlined(const json::Value& document, const json::Value& schema, const std::vector<std::string>& names,
                    size_t at) {
  const auto& target = dereferenced(document, schema);
  if (!target.is_object()) return json::Object();
  json::Object out;
  for (const auto& member : target.get_object()) {
    if (member.key() != "properties" && member.key() != "additionalProperties") out[member.key()] = member.value();
  }
  const auto* others = json::find(target, "additionalProperties");
  const auto* properties = json::find(target, "properties");
  if (others != nullptr) {
    out["additionalProperties"] = others->is_object() ? inlined(document, *others, names, at + 1) : *others;
  }
  if (at >= names.size() || properties == nullptr) return out;
  if (const auto* next = json::find(*properties, names[at])) {
    out["properties"] = json::Object{{names[at], inlined(document, *next, names, at + 1)}};
  }
  return out;
}

}  // namespace

Result<json::Value> openapi_document(Catalog& catalog, const DiscoveredKind& kind) {
  auto text = catalog.rest().get_text((kind.resource.group.empty() ? "/openapi/v3/api/" : "/openapi/v3/apis/") +
                                      kind.api_version);
  if (!text.ok()) {
    if (is_absent(text.error())) return document_of_definition(catalog, kind);
    return std::move(text).error();
  }
  CH_TRY_LET(document, json::parse(*text));
  if (schema_of_kind(document, kind) != nullptr) return document;
  return document_of_definition(catalog, kind);
}

const json::Value* schema_of_kind(const json::Value& document, const DiscoveredKind& kind) {
  const auto* schemas = json::find_path(document, {"components", "schemas"});
  if (schemas == nullptr || !schemas->is_object()) return nullptr;
  for (const auto& member : schemas->get_object()) {
    if (describes(member.value(), kind)) return &member.value();
  }
  return nullptr;
}

const json::Value& dereferenced(const json::Value& document, const json::Value& schema) {
  const json::Value* at = &schema;
  for (int hops = 0; hops < kMaxHops; ++hops) {
    if (const auto* all = array_at(*at, {"allOf"}); all != nullptr && all->get_array().size() == 1) {
      at = &all->get_array().front();
      continue;
    }
    const auto reference = text_at(*at, {"$ref"});
    if (!reference.starts_with(kReference)) break;
    const auto* target = json::find_path(document, {"components", "schemas", reference.substr(kReference.size())});
    if (target == nullptr) break;
    at = target;
  }
  return *at;
}

json::Value schema_along(const json::Value& document, const DiscoveredKind& kind, const resolve::LabelPath& path) {
  const auto* schema = schema_of_kind(document, kind);
  return schema == nullptr ? json::Value() : inlined(document, *schema, path.names(), 0);
}

}  // namespace chandler::svcat
