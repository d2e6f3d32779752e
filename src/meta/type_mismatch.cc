#include <fmt/format.h>

#include "meta/schema.h"
#include "meta/schema_compiler.h"
#include "meta/schema_node.h"
#include "meta/trail.h"

namespace chandler::meta {
namespace {

std::string expected(const SchemaNode& node) {
  if ((node.types & kTypeObject) != 0) return node.additional != nullptr ? "map" : "object";
  if ((node.types & kTypeArray) != 0) return "list";
  if (node.format == Format::kQuantity) return "quantity";
  if (node.has(kIntOrString)) return "integer or string";
  if ((node.types & kTypeString) != 0) return "string";
  if ((node.types & kTypeInteger) != 0) return "integer";
  if ((node.types & kTypeNumber) != 0) return "number";
  return "boolean";
}

// Formats that decide how a text is read, not only whether it is liked.
bool decodes(Format format, const json::Value& value) {
  if (const auto number = number_of(value)) return number_has_format(*number, format);
  if (!value.is_string()) return true;
  if (format != Format::kByte && format != Format::kQuantity && format != Format::kDateTime &&
      format != Format::kMicroTime) {
    return true;
  }
  return string_has_format(json::view(value.get_string()), format);
}

std::string mismatch(const Trail& trail) {
  const SchemaNode& node = *trail.schema;
  const json::Value& value = *trail.value;
  if (value.is_null()) return "";  // decodes into anything, as "not set"
  const auto message = [&](std::string_view wanted) {
    const std::string path = trail.path(Path()).str();
    return fmt::format("{}: expected {}, got {}", path.empty() ? "the object" : path, wanted, json::type_name(value));
  };
  if (!node.accepts_type(value)) return message(expected(node));
  if (!decodes(node.format, value)) return message(fmt::format("a valid {}", format_name(node.format)));
  if (const auto* object = value.if_object()) {
    for (const auto& member : *object) {
      const SchemaNode* known = node.member(member.key());
      if (known == nullptr) continue;
      auto fault = mismatch(trail.member(member.key(), *known, member.value()));
      if (!fault.empty()) return fault;
    }
  } else if (const auto* list = value.if_array(); list != nullptr && node.items != nullptr) {
    for (size_t i = 0; i < list->size(); ++i) {
      auto fault = mismatch(trail.item(i, *node.items, (*list)[i]));
      if (!fault.empty()) return fault;
    }
  }
  return "";
}

}  // namespace

std::string first_type_mismatch(const SchemaNode& schema, const json::Value& value) {
  const Trail root{&schema, &value};
  if (const auto* metadata = json::find(value, "metadata");
      metadata != nullptr && schema.member("metadata") == nullptr) {
    auto fault = mismatch(root.member("metadata", object_meta_schema(), *metadata));
    if (!fault.empty()) return fault;
  }
  return mismatch(root);
}

}  // namespace chandler::meta
