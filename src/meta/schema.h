// Structural OpenAPI schemas (apiextensions v1), compiled once: validate, default, prune. The same compiler takes the
// JSON Schemas of brokers (with `structural` off: no structural rules, no pruning or defaulting; $ref only inside the
// document). Immutable after compilation, shared by all threads. Patterns run on RE2.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/patch.h"
#include "json/value.h"
#include "meta/field_error.h"

namespace chandler::meta {

struct SchemaNode;  // schema_node.h, private to this folder and to the OpenAPI writer
using SchemaPtr = std::shared_ptr<const SchemaNode>;

// Shared parts: `$ref: fragment/PodSpec` in our own kinds. Each is compiled once. User CRDs may not use $ref.
class Fragments {
 public:
  // `load` gives a fragment's schema document, or null when there is none.
  explicit Fragments(std::function<const json::Value*(std::string_view name)> load);
  Result<SchemaPtr> get(std::string_view name);

 private:
  friend class SchemaCompiler;
  std::function<const json::Value*(std::string_view)> load_;
  std::map<std::string, SchemaPtr, std::less<>> compiled_;
};

struct CompileOptions {
  bool structural = true;       // enforce the structural rules of CRDs
  bool allow_metadata = false;  // built-in kinds may spell out metadata
  Fragments* fragments = nullptr;
};

// All faults are reported below `path` (for a CRD: spec.versions[0].schema.openAPIV3Schema, or
// spec.validation.openAPIV3Schema as the API names it). Null when there were any.
SchemaPtr compile_schema(const json::Value& schema, const Path& path, const CompileOptions& options, FieldErrors& errors);

// Fills in defaults, recursively; null for a non-nullable field with a default counts as absent.
void apply_defaults(const SchemaNode& schema, json::Value& value);

// Drops what the schema does not know (apiVersion, kind, metadata of the root and of embedded resources stay).
// Paths of dropped fields are appended to `unknown` when given; with `keep` nothing is dropped, only reported.
void prune(const SchemaNode& schema, json::Value& value, std::vector<std::string>* unknown, bool keep = false);

// Every fault, in document order. With `old` unchanged parts are tolerated (ratcheting).
void validate(const SchemaNode& schema, const json::Value& value, const json::Value* old, const Path& path, FieldErrors& errors);

// The schema node a path of member names leads to; null when unknown. Used for selectable fields and columns.
const SchemaNode* schema_at(const SchemaNode& root, const std::vector<std::string>& names);

// Strategic merge rules (x-kubernetes-patch-strategy, x-kubernetes-patch-merge-key) read off a schema.
std::unique_ptr<json::MergeRules> merge_rules(SchemaPtr root);

}  // namespace chandler::meta
