// Keywords that only JSON Schema documents (of brokers) may use.
#include <fmt/format.h>

#include "base/text.h"
#include "meta/schema_compiler.h"

namespace chandler::meta {
namespace {

// A JSON pointer in a URI fragment: "#/definitions/a~1b".
const json::Value* resolve(const json::Value& document, std::string_view ref) {
  const auto pointer = percent_decode(ref.substr(1), false);
  if (!pointer) return nullptr;
  if (pointer->empty()) return &document;
  if (pointer->front() != '/') return nullptr;
  const json::Value* at = &document;
  for (std::string_view escaped : split(std::string_view(*pointer).substr(1), '/')) {
    std::string name;
    for (size_t i = 0; i < escaped.size(); ++i) {
      if (escaped[i] == '~' && i + 1 < escaped.size() && (escaped[i + 1] == '0' || escaped[i + 1] == '1')) {
        name.push_back(escaped[++i] == '0' ? '~' : '/');
      } else {
        name.push_back(escaped[i]);
      }
    }
    if (const auto* list = at->if_array()) {
      const auto index = parse_uint64(name);
      at = index && *index < list->size() ? &(*list)[*index] : nullptr;
    } else {
      at = json::find(*at, name);
    }
    if (at == nullptr) return nullptr;
  }
  return at;
}

}  // namespace

const SchemaNode* SchemaCompiler::compile_local_ref(std::string_view ref, const Path& path) {
  if (!ref.starts_with('#')) {
    errors_.forbidden(path, fmt::format("{} leads out of the document; only references inside it are followed", ref));
    return nullptr;
  }
  const json::Value* schema = resolve(document_, ref);
  if (schema == nullptr) {
    errors_.not_found(path, ref);
    return nullptr;
  }
  SchemaNode*& node = targets_[schema];
  if (node == nullptr) {
    node = &arena_->nodes.emplace_back();
    queue_.push_back({node, schema, Path(ref)});
  }
  return node;
}

void SchemaCompiler::fill_json_schema(JsonSchemaKeywords& keywords, const json::Value& schema, const Path& path) {
  if (const auto ref = text(schema, "$ref", path)) keywords.ref = compile_local_ref(*ref, path.member("$ref"));
  const json::Value* additional = json::find(schema, "additionalProperties");
  keywords.closed = additional != nullptr && additional->is_bool() && !additional->get_bool();
  keywords.unique_items = flag(schema, "uniqueItems", path).value_or(false);
  if (const json::Object* patterns = object(schema, "patternProperties", path)) {
    for (const auto& member : *patterns) {
      const Path here = path.member("patternProperties").key(member.key());
      Pattern pattern = compile_pattern(member.key(), here);
      const SchemaNode* node = compile(member.value(), here);
      if (pattern) keywords.pattern_properties.emplace_back(std::move(pattern), node);
    }
  }
  if (const json::Object* dependencies = object(schema, "dependencies", path)) {
    for (const auto& member : *dependencies) {
      const Path here = path.member("dependencies").key(member.key());
      if (member.value().is_array()) {
        keywords.required_with.emplace_back(std::string(member.key()), texts_of(member.value().get_array(), here));
      } else {
        keywords.schema_with.emplace_back(std::string(member.key()), compile(member.value(), here));
      }
    }
  }
  fill_conditions(keywords, schema, path);
}

void SchemaCompiler::fill_conditions(JsonSchemaKeywords& keywords, const json::Value& schema, const Path& path) {
  keywords.property_names = compile_member(schema, "propertyNames", path);
  keywords.contains = compile_member(schema, "contains", path);
  keywords.condition = compile_member(schema, "if", path);
  if (keywords.condition == nullptr) return;
  keywords.then_node = compile_member(schema, "then", path);
  keywords.else_node = compile_member(schema, "else", path);
}

}  // namespace chandler::meta
