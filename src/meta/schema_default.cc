#include "meta/schema.h"

#include "json/sorted_members.h"
#include "meta/schema_node.h"

namespace chandler::meta {
namespace {

bool counts_as_absent(const json::Value& value, const SchemaNode& node) {
  return value.is_null() && !node.has(kNullable) && (node.types & kTypeNull) == 0;
}

class Filler {
 public:
  explicit Filler(Budget& budget) : budget_(budget) {}

  // False: that was too much, and the value is filled in part.
  bool fill(const SchemaNode& node, json::Value& value) {
    if (auto* object = value.if_object()) {
      return fill_object(node, *object) && (!node.has(kEmbeddedResource) || fill_metadata(value));
    }
    auto* list = value.if_array();
    if (list == nullptr || node.items == nullptr) return true;
    for (auto& item : *list) {
      if (counts_as_absent(item, *node.items) && node.items->default_value != nullptr) {
        if (!take_default(*node.items, 0)) return false;
        item = *node.items->default_value;
      }
      if (!fill(*node.items, item)) return false;
    }
    return true;
  }

  bool fill_metadata(json::Value& value) {
    auto* metadata = json::find(value, "metadata");
    return metadata == nullptr || fill(object_meta_schema(), *metadata);
  }

 private:
  bool fill_object(const SchemaNode& node, json::Object& object) {
    bool fits = true;
    json::erase_members(object, [&](auto& member) {
      const SchemaNode* known = node.member(member.key());
      if (known == nullptr || !fits) return false;
      if (counts_as_absent(member.value(), *known)) {
        if (known->default_value == nullptr) return true;
        if (!(fits = take_default(*known, 0))) return false;
        member.value() = *known->default_value;
      }
      fits = fill(*known, member.value());
      return false;
    });
    return fits && add_missing(node, object);
  }

  bool add_missing(const SchemaNode& node, json::Object& object) {
    if (node.properties.size() > budget_.look_ups) return false;
    budget_.look_ups -= node.properties.size();
    for (const Property& property : node.properties) {
      if (property.schema->default_value == nullptr || object.contains(property.name)) continue;
      // A name that is found is the object's; one that is not is charged here, and so is having looked for it.
      if (!take_default(*property.schema, sizeof(json::Member) + property.name.size())) return false;
      if (!fill(*property.schema, object.emplace(property.name, *property.schema->default_value).first->value())) {
        return false;
      }
    }
    return true;
  }

  // `place` are the bytes of the member that it becomes; 0 when it takes the place of a null.
  bool take_default(const SchemaNode& node, size_t place) {
    const size_t bytes = place + json::memory_of(*node.default_value);
    if (bytes > budget_.default_bytes) return false;
    budget_.default_bytes -= bytes;
    return true;
  }

  Budget& budget_;
};

}  // namespace

bool apply_defaults(const SchemaNode& schema, json::Value& value) {
  Budget budget;
  return apply_defaults(schema, value, budget);
}

bool apply_defaults(const SchemaNode& schema, json::Value& value, Budget& budget) {
  Filler filler(budget);
  return filler.fill(schema, value) && filler.fill_metadata(value);
}

}  // namespace chandler::meta
