#include "cel/type.h"

#include <algorithm>

#include "cel/property_name.h"

namespace chandler::cel {
namespace {

using Is = Type::Is;
using meta::SchemaNode;

constexpr uint64_t kMaxBytesOfCharacter = 4;
constexpr uint64_t kLongestTime = 64;
constexpr int kNodesOfSizes = 100;  // that an estimate of a size looks at

const meta::Constraints& constraints_of(const SchemaNode& node) {
  static const meta::Constraints none;
  return node.constraints == nullptr ? none : *node.constraints;
}

// The fewest bytes of JSON that a value of the schema takes.
uint64_t min_bytes(const SchemaNode* node, int& left) {
  if (node == nullptr || --left < 0 || node->has(meta::kNullable)) return 1;
  if (node->types == meta::kTypeBoolean) return 4;
  if (node->types == meta::kTypeString) {
    return 2 + std::min<uint64_t>(constraints_of(*node).min_length, kMaxRequest);
  }
  if (node->types == meta::kTypeArray) return 2;
  if (node->types != meta::kTypeObject) return 1;
  uint64_t sum = 2;
  for (const auto& name : constraints_of(*node).required) {
    const SchemaNode* member = node->property(name);
    if (member == nullptr || member->default_value != nullptr) continue;
    sum += name.size() + 4 + min_bytes(member, left);
  }
  return std::min(sum, kMaxRequest);
}

uint64_t max_text(const SchemaNode& node) {
  const auto& constraints = constraints_of(node);
  if (constraints.max_length != meta::kUnlimited) {
    return std::min(kMaxRequest,
                    constraints.max_length > kMaxRequest ? kMaxRequest : constraints.max_length * kMaxBytesOfCharacter);
  }
  uint64_t longest = 0;
  for (const auto& value : constraints.enumeration) {
    if (value.is_string()) longest = std::max<uint64_t>(longest, value.get_string().size());
  }
  return constraints.enumeration.empty() ? kMaxRequest - 2 : longest;
}

TypePtr text_type(const SchemaNode& node) {
  switch (node.format) {
    case meta::Format::kByte:
      return scalar_type(Kind::kBytes, max_text(node));
    case meta::Format::kDuration:
      return scalar_type(Kind::kDuration, kLongestTime);
    case meta::Format::kDate:
    case meta::Format::kDateTime:
    case meta::Format::kMicroTime:
      return scalar_type(Kind::kTimestamp, kLongestTime);
    default:
      return scalar_type(Kind::kString, max_text(node));
  }
}

std::shared_ptr<Type> make(Type::Is is) {
  auto type = std::make_shared<Type>();
  type->is = is;
  return type;
}

}  // namespace

uint64_t max_items(const SchemaNode& list) {
  int left = kNodesOfSizes;
  const uint64_t fit = kMaxRequest / (min_bytes(list.items, left) + 1);
  return std::min(fit, constraints_of(list).max_items);
}

uint64_t max_entries(const SchemaNode& map) {
  int left = kNodesOfSizes;
  const uint64_t fit = kMaxRequest / (min_bytes(map.additional, left) + 5);  // "k":v,
  return std::min(fit, constraints_of(map).max_properties);
}

TypePtr dyn_type() {
  auto type = make(Type::Is::kDyn);
  type->max_size = kMaxRequest;
  return type;
}

TypePtr scalar_type(Kind kind, uint64_t max_size) {
  auto type = make(Type::Is::kScalar);
  type->scalar = kind;
  type->max_size = max_size;
  return type;
}

TypePtr list_type(TypePtr element, uint64_t max_size) {
  auto type = make(Type::Is::kList);
  type->element = std::move(element);
  type->max_size = max_size;
  return type;
}

TypePtr map_type(TypePtr value, uint64_t max_size) {
  auto type = make(Type::Is::kMap);
  type->element = std::move(value);
  type->max_size = max_size;
  return type;
}

TypePtr optional_type(TypePtr element) {
  auto type = make(Type::Is::kOptional);
  type->max_size = element->max_size;
  type->element = std::move(element);
  return type;
}

TypePtr schema_type(const SchemaNode& node, bool resource) {
  if (node.has(meta::kIntOrString)) return dyn_type();
  switch (node.types) {
    case meta::kTypeBoolean:
      return scalar_type(Kind::kBool);
    case meta::kTypeInteger:
      return scalar_type(Kind::kInt);
    case meta::kTypeNumber:
      return scalar_type(Kind::kDouble);
    case meta::kTypeString:
      return text_type(node);
    case meta::kTypeArray: {
      auto element =
          node.items == nullptr ? nullptr : schema_type(*node.items, node.items->has(meta::kEmbeddedResource));
      if (element == nullptr) return nullptr;
      auto type = std::make_shared<Type>(*list_type(std::move(element), max_items(node)));
      type->node = &node;
      return type;
    }
    case meta::kTypeObject: {
      if (node.additional != nullptr) {
        auto value = schema_type(*node.additional, node.additional->has(meta::kEmbeddedResource));
        return value == nullptr ? nullptr : map_type(std::move(value), max_entries(node));
      }
      auto type = make(Type::Is::kObject);
      type->node = &node;
      type->resource = resource || node.has(meta::kEmbeddedResource);
      type->max_size = node.properties.size() + 1;
      return type;
    }
    default:
      return nullptr;
  }
}

TypePtr field_type(const Type& object, std::string_view name, std::string& property) {
  const auto unescaped = unescape_property(name);
  if (!unescaped) return nullptr;
  property = *unescaped;
  constexpr uint64_t kMaxName = 253;
  if (object.is == Type::Is::kMetadata) {
    return property == "name" || property == "generateName" ? scalar_type(Kind::kString, kMaxName) : nullptr;
  }
  if (object.resource) {
    if (property == "apiVersion" || property == "kind") return scalar_type(Kind::kString, 2 * kMaxName);
    if (property == "metadata") return make(Type::Is::kMetadata);
  }
  const SchemaNode* node = object.node->property(property);
  return node == nullptr ? nullptr : schema_type(*node, false);
}

bool fits(const Type& a, const Type& b) {
  if (a.is == Is::kDyn || b.is == Is::kDyn) return true;
  const auto takes_null = [](const Type& t) {
    return t.is == Is::kObject || t.is == Is::kMetadata || t.is == Is::kOptional || t.is_scalar(Kind::kTimestamp) ||
           t.is_scalar(Kind::kDuration);
  };
  if ((a.is_scalar(Kind::kNull) && takes_null(b)) || (b.is_scalar(Kind::kNull) && takes_null(a))) return true;
  if (a.is != b.is) return false;
  switch (a.is) {
    case Is::kScalar:
      return a.scalar == b.scalar;
    case Is::kObject:
      return a.node == b.node;
    case Is::kList:
    case Is::kMap:
    case Is::kOptional:
      return fits(*a.element, *b.element);
    default:
      return true;
  }
}

TypePtr with_size(const TypePtr& type, uint64_t size) {
  if (type->max_size == size) return type;
  auto out = std::make_shared<Type>(*type);
  out->max_size = size;
  return out;
}

TypePtr joined_type(const TypePtr& a, const TypePtr& b) {
  if (!fits(*a, *b)) return nullptr;
  if (a->is == Type::Is::kDyn || b->is == Type::Is::kDyn) return dyn_type();
  const bool first = !a->is_scalar(Kind::kNull);
  return with_size(first ? a : b, std::max(a->max_size, b->max_size));
}

bool is_number(const Type& type) {
  return type.is_scalar(Kind::kInt) || type.is_scalar(Kind::kUint) || type.is_scalar(Kind::kDouble);
}

std::optional<Kind> type_named(std::string_view name) {
  for (const Kind kind : {Kind::kBool, Kind::kInt, Kind::kUint, Kind::kDouble, Kind::kString, Kind::kBytes, Kind::kList,
                          Kind::kMap, Kind::kNull, Kind::kType}) {
    if (kind_name(kind) == name) return kind;
  }
  return std::nullopt;
}

std::string type_text(const Type& type) {
  switch (type.is) {
    case Type::Is::kDyn:
      return "dyn";
    case Type::Is::kScalar:
      return type.scalar == Kind::kTimestamp  ? "timestamp"
             : type.scalar == Kind::kDuration ? "duration"
             : type.scalar == Kind::kQuantity ? "quantity"
             : type.scalar == Kind::kNull     ? "null"
                                              : std::string(kind_name(type.scalar));
    case Type::Is::kList:
      return "list(" + type_text(*type.element) + ")";
    case Type::Is::kMap:
      return "map(string, " + type_text(*type.element) + ")";
    case Type::Is::kOptional:
      return "optional(" + type_text(*type.element) + ")";
    default:
      return "object";
  }
}

}  // namespace chandler::cel
