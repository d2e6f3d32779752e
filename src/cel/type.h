// Types of expressions, with the largest size that a value can have: what the checker knows about the parts of a rule.
// Made from a schema or by the checker; immutable and shared.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cel/value.h"
#include "meta/schema_node.h"

namespace chandler::cel {

struct Type;
using TypePtr = std::shared_ptr<const Type>;

struct Type {
  enum class Is : uint8_t { kDyn, kScalar, kList, kMap, kObject, kMetadata, kOptional } is = Is::kDyn;
  Kind scalar = Kind::kNull;               // of kScalar
  TypePtr key;                             // of a map; null: string
  TypePtr element;                         // of a list, of a map's values, of an optional
  const meta::SchemaNode* node = nullptr;  // of an object; of a list that comes from a schema
  bool resource = false;                   // an object with apiVersion, kind and metadata
  uint64_t max_size = 1;                   // bytes, items or entries

  bool is_scalar(Kind kind) const { return is == Is::kScalar && scalar == kind; }
};

TypePtr dyn_type();
TypePtr scalar_type(Kind kind, uint64_t max_size = 1);
TypePtr list_type(TypePtr element, uint64_t max_size);
TypePtr map_type(TypePtr value, uint64_t max_size);
TypePtr optional_type(TypePtr element);
// Null: an expression cannot look into what this schema leaves open.
TypePtr schema_type(const meta::SchemaNode& node, bool resource);
// The type of an object's field by the name that expressions use; null when there is none.
TypePtr field_type(const Type& object, std::string_view name, std::string& property);

// A value of one type may be where the other is expected, as far as can be known before evaluation.
bool fits(const Type& a, const Type& b);
// One type for both; null when they have nothing in common.
TypePtr joined_type(const TypePtr& a, const TypePtr& b);
TypePtr with_size(const TypePtr& type, uint64_t size);
bool is_number(const Type& type);
// Types as values, for comparisons with type(): int, string, list and so on.
std::optional<Kind> type_named(std::string_view name);
std::string type_text(const Type& type);  // "list(string)"

// The largest numbers of items and bytes that a request of 3 MiB can hold, where the schema sets no limit.
constexpr uint64_t kMaxRequest = 3 * 1024 * 1024;
uint64_t max_items(const meta::SchemaNode& list);
uint64_t max_entries(const meta::SchemaNode& map);

}  // namespace chandler::cel
