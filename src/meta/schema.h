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

struct SchemaArena;

// Shared parts: `$ref: fragment/PodSpec` in our own kinds. Each is compiled once, on first use, and may refer to
// itself. User CRDs may not use $ref. Used by one thread at a time; what was compiled may outlive this object.
class Fragments {
 public:
  // `load` gives a fragment's schema document, or null when there is none.
  explicit Fragments(std::function<const json::Value*(std::string_view name)> load);
  Result<SchemaPtr> get(std::string_view name);

 private:
  friend class SchemaCompiler;
  std::function<const json::Value*(std::string_view)> load_;
  std::shared_ptr<SchemaArena> arena_;
  std::map<std::string, const SchemaNode*, std::less<>> compiled_;  // also those under way
};

struct CompileOptions {
  bool structural = true;       // enforce the structural rules of CRDs
  bool allow_metadata = false;  // built-in kinds may spell out metadata
  Fragments* fragments = nullptr;
};

// All faults are reported below `path` (for a CRD: spec.versions[0].schema.openAPIV3Schema, or
// spec.validation.openAPIV3Schema as the API names it). Null when there were any. Rules (x-kubernetes-validations) are
// the business of src/cel; in a fragment they are refused, since they are compiled with the document that holds them.
SchemaPtr compile_schema(const json::Value& schema, const Path& path, const CompileOptions& options,
                         FieldErrors& errors);

// Fills in defaults, recursively; null for a non-nullable field counts as absent: it is defaulted or dropped. False:
// the defaults would have more than 16 MiB or cost too much to look for, and some are left out.
bool apply_defaults(const SchemaNode& schema, json::Value& value);

// Drops what the schema does not know (apiVersion, kind, metadata of the root and of embedded resources stay).
// Paths of dropped fields are appended to `unknown` when given; with `keep` nothing is dropped, only reported.
void prune(const SchemaNode& schema, json::Value& value, std::vector<std::string>* unknown, bool keep = false);

// Every fault, in document order. With `old` unchanged parts are tolerated (ratcheting): a fault counts only where the
// value differs from the old one at the same place (items of a map list are matched by key, others by index).
// Faults of allOf, anyOf, oneOf and not are reported at `path` itself, or "<nil>" when it is empty, as the API does.
void validate(const SchemaNode& schema, const json::Value& value, const json::Value* old, const Path& path,
              FieldErrors& errors);

// For built-in kinds a value of the wrong JSON type, or a time, quantity, base64 text or integer that cannot be
// decoded, fails before validation. Returns "" or what is wrong first: "spec.replicas: expected integer, got string".
std::string first_type_mismatch(const SchemaNode& schema, const json::Value& value);

// The schema node a path of member names leads to; null when unknown. Used for selectable fields and columns.
const SchemaNode* schema_at(const SchemaNode& root, const std::vector<std::string>& names);

// Strategic merge rules (x-kubernetes-patch-strategy, x-kubernetes-patch-merge-key) read off a schema.
std::unique_ptr<json::MergeRules> merge_rules(SchemaPtr root);

}  // namespace chandler::meta
