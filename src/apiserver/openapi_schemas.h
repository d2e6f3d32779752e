// Turns the schemas of kinds into the named schemas of an OpenAPI document. What kinds share (api/fragments, metadata,
// Status) becomes a schema of its own that others refer to; everything else stays in place. Not thread-safe: one object
// makes one document.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "registry/kind.h"

namespace chandler::apiserver {

enum class Dialect { kSwagger2, kOpenApi3 };

// "io.k8s.api.apps.v1.Deployment", "com.example.v1.Widget"; kubectl shows what follows the last dot.
std::string schema_name(const registry::Kind& kind, const registry::Version& version, std::string_view kind_name);

// {group, version, kind} as in x-kubernetes-group-version-kind.
json::Object kind_reference(const registry::Kind& kind, const registry::Version& version, std::string_view kind_name);

class SchemaSet {
 public:
  explicit SchemaSet(Dialect dialect) : dialect_(dialect) {}

  // Adds the kind and its list. `schema` is the openAPIV3Schema of its definition.
  Result<void> add_kind(const registry::Kind& kind, const registry::Version& version, const json::Value& schema);
  // {"$ref": ...} to something shared ("Status"), which is added.
  Result<json::Object> refer(std::string_view shared);
  json::Object refer_to(std::string_view schema) const;

  Dialect dialect() const { return dialect_; }
  json::Object take() { return std::move(schemas_); }

 private:
  Result<json::Value> convert(const json::Value& schema);
  Result<void> convert_members(const json::Object& schema, json::Object& out);
  Result<json::Value> convert_list(const json::Value& schemas);
  // Stands for a fragment: a reference where the fragment is an object with fields, else the fragment itself.
  Result<json::Value> expand(std::string_view fragment);
  json::Value reference_at(const json::Object& place, json::Object reference) const;
  Result<json::Value> number_or_text(const json::Object& schema);
  Result<json::Object> kind_properties(const json::Object* given);

  Result<const json::Value*> fragment(std::string_view name);

  const Dialect dialect_;
  json::Object schemas_;
  std::map<std::string, json::Value, std::less<>> fragments_;  // as read
};

}  // namespace chandler::apiserver
