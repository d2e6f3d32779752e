// For tests of this folder: a schema and a value as texts, and what an expression makes of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cel/checker.h"
#include "cel/evaluator.h"
#include "json/reader.h"
#include "meta/schema.h"

namespace chandler::cel::testing {

inline json::Value document(std::string_view text) { return json::parse(text).value(); }

struct World {
  explicit World(std::string_view schema_text, std::string_view value_text) : value(document(value_text)) {
    meta::FieldErrors errors;
    // As a member, so that the schema may be of any type.
    json::Value holder = json::Object{{"type", "object"}, {"properties", json::Object{{"v", document(schema_text)}}}};
    schema = meta::compile_schema(holder, meta::Path("s"), meta::CompileOptions{}, errors);
    for (const auto& cause : errors.causes()) faults += cause.field + " " + cause.message + "\n";
  }
  const meta::SchemaNode& node() const { return *schema->property("v"); }

  json::Value value;
  meta::SchemaPtr schema;
  std::string faults;
};

// A printed value: "true", "int 3", "string abc", "list 2"; or "compile: ..." or "fault: ...".
inline std::string shown(const Value& v) {
  switch (v.kind()) {
    case Kind::kBool:
      return v.as_bool() ? "true" : "false";
    case Kind::kNull:
      return "null";
    case Kind::kType:
      return "type " + std::string(kind_name(v.type_value()));
    case Kind::kList: {
      std::string out = "[";
      for (size_t i = 0; i < v.size(); ++i) out += (i > 0 ? ", " : "") + shown(v.item(i).value());
      return out + "]";
    }
    case Kind::kMap:
      return "map of " + std::to_string(v.size());
    case Kind::kOptional:
      return v.optional_value() == nullptr ? "none" : "some " + shown(*v.optional_value());
    default:
      return std::string(kind_name(v.kind())) + " " + std::string(convert(Function::kString, v).value().text());
  }
}

inline std::string evaluated(std::string_view source, const World& world, uint64_t budget = 1000000,
                             uint64_t* estimate = nullptr, uint64_t* spent = nullptr) {
  auto parsed = parse(source);
  if (!parsed.ok()) return "compile: " + parsed.error().message;
  auto self = schema_type(world.node(), false);
  if (self == nullptr) return "compile: self has no type";
  meta::Patterns patterns;
  auto checked = check(**parsed, source, {{"self", self}}, patterns);
  if (!checked.ok()) return "compile: " + checked.error().message;
  if (estimate != nullptr) *estimate = checked->cost;
  std::vector<Value> slots(checked->slots);
  auto value = Value::of(world.value, &world.node());
  if (!value.ok()) return "fault: " + value.error().message;
  slots[0] = *value;
  Meter meter(budget);
  const auto outcome = evaluate(**parsed, slots, meter);
  if (spent != nullptr) *spent = meter.spent();
  return outcome.ok() ? shown(*outcome) : "fault: " + outcome.error().message;
}

}  // namespace chandler::cel::testing
