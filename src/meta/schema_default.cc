#include "meta/schema.h"
#include "meta/schema_node.h"

namespace chandler::meta {
namespace {

bool counts_as_absent(const json::Value& value, const SchemaNode& node) {
  return value.is_null() && !node.has(kNullable) && (node.types & kTypeNull) == 0;
}

void fill(const SchemaNode& node, json::Value& value);

void fill_object(const SchemaNode& node, json::Object& object) {
  json::erase_members(object, [&](auto& member) {
    const SchemaNode* known = node.member(member.key());
    if (known == nullptr) return false;
    if (counts_as_absent(member.value(), *known)) {
      if (known->default_value == nullptr) return true;
      member.value() = *known->default_value;
    }
    fill(*known, member.value());
    return false;
  });
  for (const Property& property : node.properties) {
    if (property.schema->default_value == nullptr || object.contains(property.name)) continue;
    fill(*property.schema, object.emplace(property.name, *property.schema->default_value).first->value());
  }
}

void fill(const SchemaNode& node, json::Value& value) {
  if (auto* object = value.if_object()) {
    fill_object(node, *object);
    if (!node.has(kEmbeddedResource)) return;
    if (auto* metadata = json::find(value, "metadata")) fill(object_meta_schema(), *metadata);
  } else if (auto* list = value.if_array(); list != nullptr && node.items != nullptr) {
    for (auto& item : *list) {
      if (counts_as_absent(item, *node.items) && node.items->default_value != nullptr)
        item = *node.items->default_value;
      fill(*node.items, item);
    }
  }
}

}  // namespace

void apply_defaults(const SchemaNode& schema, json::Value& value) {
  fill(schema, value);
  if (auto* metadata = json::find(value, "metadata")) fill(object_meta_schema(), *metadata);
}

}  // namespace chandler::meta
