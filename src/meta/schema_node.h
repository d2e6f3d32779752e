// The compiled form of a schema: what validation, defaulting, pruning, strategic merge and server-side apply walk over.
// All parts of one schema live in one arena; links between them are plain pointers, so recursion (a fragment that
// refers to itself) costs nothing and leaks nothing. A SchemaPtr owns its arena as a whole. Immutable once compiled.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/value.h"
#include "meta/field_error.h"
#include "meta/format.h"
#include "meta/pattern.h"

namespace chandler::meta {

struct SchemaNode;

// Bits of SchemaNode::types. No bit: any type.
enum TypeBit : uint8_t {
  kTypeObject = 1,
  kTypeArray = 2,
  kTypeString = 4,
  kTypeInteger = 8,
  kTypeNumber = 16,
  kTypeBoolean = 32,
  kTypeNull = 64,
};

// Bits of SchemaNode::flags.
enum NodeFlag : uint8_t {
  kNullable = 1,
  kPreserveUnknown = 2,
  kEmbeddedResource = 4,
  kIntOrString = 8,
  kAtomicMap = 16,
  kNever = 32,  // the JSON Schema `false`
};

enum class ListType : uint8_t { kUnset, kAtomic, kSet, kMap };

struct Property {
  std::string name;
  const SchemaNode* schema = nullptr;
};

struct MergeStrategy {
  std::vector<std::string> map_keys;  // x-kubernetes-list-map-keys
  bool merge = false;                 // x-kubernetes-patch-strategy
  bool retain_keys = false;
  std::string merge_key;  // x-kubernetes-patch-merge-key
};

// Keywords that only the JSON Schemas of brokers may use.
struct JsonSchemaKeywords {
  const SchemaNode* ref = nullptr;
  bool closed = false;  // additionalProperties: false
  bool unique_items = false;
  std::vector<std::pair<Pattern, const SchemaNode*>> pattern_properties;
  std::vector<std::pair<std::string, std::vector<std::string>>> required_with;  // dependencies on names
  std::vector<std::pair<std::string, const SchemaNode*>> schema_with;           // dependencies on schemas
  std::vector<const SchemaNode*> tuple;                                         // items as a list
  const SchemaNode* property_names = nullptr;
  const SchemaNode* contains = nullptr;
  const SchemaNode* condition = nullptr;  // if
  const SchemaNode* then_node = nullptr;
  const SchemaNode* else_node = nullptr;
};

// long double holds every int64, uint64 and double exactly.
struct NumberRules {
  std::optional<long double> minimum, maximum, multiple_of;
  bool exclusive_minimum = false, exclusive_maximum = false;
};

// The values of a long enumeration, arranged to be looked up. Numbers are equal by value: 1 and 1.0.
struct EnumerationIndex {
  std::set<std::string, std::less<>> texts;
  std::set<long double> numbers;
};

struct Composition {
  std::vector<const SchemaNode*> all_of, any_of, one_of;
  const SchemaNode* not_node = nullptr;
};

constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

struct Constraints {
  uint64_t min_length = 0, max_length = kUnlimited;
  uint64_t min_items = 0, max_items = kUnlimited;
  uint64_t min_properties = 0, max_properties = kUnlimited;
  Pattern pattern;
  std::vector<json::Value> enumeration;
  std::unique_ptr<EnumerationIndex> enumeration_index;  // null when there are few values
  std::vector<std::string> required;
  std::unique_ptr<NumberRules> number;
  std::unique_ptr<Composition> composition;
  std::unique_ptr<JsonSchemaKeywords> json_schema;
};

struct SchemaNode {
  std::span<const Property> properties;  // sorted by name
  const SchemaNode* items = nullptr;
  const SchemaNode* additional = nullptr;  // additionalProperties
  const Constraints* constraints = nullptr;
  const MergeStrategy* strategy = nullptr;
  const json::Value* default_value = nullptr;
  uint8_t types = 0;
  uint8_t flags = 0;
  ListType list_type = ListType::kUnset;
  Format format = Format::kNone;

  bool has(NodeFlag flag) const { return (flags & flag) != 0; }
  const SchemaNode* property(std::string_view name) const;
  // What describes an object's member: its property, else additionalProperties, else null.
  const SchemaNode* member(std::string_view name) const;
  // Whether the value is of one of the types; integers may be written as 1.0.
  bool accepts_type(const json::Value& value) const;
  std::string type_names() const;  // "integer or string"
};

struct SchemaArena {
  std::deque<SchemaNode> nodes;
  std::deque<std::vector<Property>> properties;
  std::deque<Constraints> constraints;
  std::deque<MergeStrategy> strategies;
  std::deque<json::Value> defaults;
  Patterns patterns;
  std::shared_ptr<const SchemaArena> fragments;  // kept alive: nodes here point there
};

// What filling in defaults and validating may cost: for one object, or for all defaults of a schema together. The
// bounds are for schemas and documents that multiply, such as a list of empty objects, each of which has many
// properties or gets a large default, and compositions of compositions. An object that a client can store comes near
// none of them.
struct Budget {
  size_t default_bytes = 16 * 1024 * 1024;
  size_t look_ups = 100 * 1000 * 1000;  // of properties that may have a default
  int64_t steps = 10'000'000;           // of validation
};
bool apply_defaults(const SchemaNode& schema, json::Value& value, Budget& budget);
void validate(const SchemaNode& schema, const json::Value& value, const json::Value* old, const Path& path,
              FieldErrors& errors, Budget& budget);

// The schema of metadata, implied in every object.
const SchemaNode& object_meta_schema();

}  // namespace chandler::meta
