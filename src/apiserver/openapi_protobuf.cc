// The field numbers are those of openapi.v2.Document, the format in which Go clients have read Swagger documents since
// long before OpenAPI 3. Vendor extensions and other free values travel as YAML text; JSON is YAML.
#include "apiserver/openapi_documents.h"
#include "apiserver/proto_writer.h"
#include "json/writer.h"

namespace chandler::apiserver {
namespace {

const json::Object& members(const json::Value& value) {
  static const json::Object kNone;
  return value.is_object() ? value.get_object() : kNone;
}

std::string_view text(const json::Value& value) {
  return value.is_string() ? json::view(value.get_string()) : std::string_view();
}

// Writes a member under its field number where it has the right type.
void put_text(ProtoWriter& out, uint32_t field, const json::Object& source, std::string_view key) {
  if (const auto* value = source.if_contains(key)) out.text(field, text(*value));
}

void put_bool(ProtoWriter& out, uint32_t field, const json::Object& source, std::string_view key) {
  if (const auto* value = source.if_contains(key); value != nullptr && value->is_bool()) {
    out.boolean(field, value->get_bool());
  }
}

void put_int(ProtoWriter& out, uint32_t field, const json::Object& source, std::string_view key) {
  if (const auto* value = source.if_contains(key); value != nullptr && value->is_int64()) {
    out.integer(field, value->get_int64());
  }
}

void put_real(ProtoWriter& out, uint32_t field, const json::Object& source, std::string_view key) {
  if (const auto* value = source.if_contains(key); value != nullptr && value->is_number()) {
    out.real(field, value->to_number<double>());
  }
}

void put_texts(ProtoWriter& out, uint32_t field, const json::Object& source, std::string_view key) {
  const auto* value = source.if_contains(key);
  if (value == nullptr || !value->is_array()) return;
  for (const auto& item : value->get_array()) out.text(field, text(item));
}

// Any: yaml=2.
ProtoWriter any(const json::Value& value) {
  ProtoWriter out;
  out.text(2, json::write(value));
  return out;
}

// Named…: name=1, value=2.
ProtoWriter named(std::string_view name, const ProtoWriter& value) {
  ProtoWriter out;
  out.text(1, name);
  out.message(2, value);
  return out;
}

void put_extensions(ProtoWriter& out, uint32_t field, const json::Object& source) {
  for (const auto& member : source) {
    if (member.key().starts_with("x-")) out.message(field, named(member.key(), any(member.value())));
  }
}

ProtoWriter schema(const json::Value& value);

// Definitions and Properties: additional_properties=1.
ProtoWriter named_schemas(const json::Value& value) {
  ProtoWriter out;
  for (const auto& member : members(value)) out.message(1, named(member.key(), schema(member.value())));
  return out;
}

void put_limits(ProtoWriter& out, const json::Object& source) {
  put_real(out, 6, source, "multipleOf");
  put_real(out, 7, source, "maximum");
  put_bool(out, 8, source, "exclusiveMaximum");
  put_real(out, 9, source, "minimum");
  put_bool(out, 10, source, "exclusiveMinimum");
  put_int(out, 11, source, "maxLength");
  put_int(out, 12, source, "minLength");
  put_text(out, 13, source, "pattern");
  put_int(out, 14, source, "maxItems");
  put_int(out, 15, source, "minItems");
  put_bool(out, 16, source, "uniqueItems");
  put_int(out, 17, source, "maxProperties");
  put_int(out, 18, source, "minProperties");
}

ProtoWriter additional_properties(const json::Value& value) {
  ProtoWriter out;
  if (value.is_bool()) {
    out.boolean(2, value.get_bool());
  } else {
    out.message(1, schema(value));
  }
  return out;
}

ProtoWriter schema(const json::Value& value) {
  const auto& source = members(value);
  ProtoWriter out;
  put_text(out, 1, source, "$ref");
  put_text(out, 2, source, "format");
  put_text(out, 3, source, "title");
  put_text(out, 4, source, "description");
  if (const auto* initial = source.if_contains("default")) out.message(5, any(*initial));
  put_limits(out, source);
  put_texts(out, 19, source, "required");
  if (const auto* values = source.if_contains("enum"); values != nullptr && values->is_array()) {
    for (const auto& item : values->get_array()) out.message(20, any(item));
  }
  if (const auto* rest = source.if_contains("additionalProperties")) out.message(21, additional_properties(*rest));
  if (source.contains("type")) {
    ProtoWriter type;
    put_text(type, 1, source, "type");
    out.message(22, type);
  }
  if (const auto* items = source.if_contains("items")) {
    ProtoWriter item;
    item.message(1, schema(*items));
    out.message(23, item);
  }
  if (const auto* properties = source.if_contains("properties")) out.message(25, named_schemas(*properties));
  put_extensions(out, 31, source);
  return out;
}

// BodyParameter.
ProtoWriter body_parameter(const json::Object& source) {
  ProtoWriter out;
  put_text(out, 1, source, "description");
  put_text(out, 2, source, "name");
  put_text(out, 3, source, "in");
  put_bool(out, 4, source, "required");
  if (const auto* value = source.if_contains("schema")) out.message(5, schema(*value));
  return out;
}

// QueryParameterSubSchema and PathParameterSubSchema differ in their numbers from the type on.
ProtoWriter plain_parameter(const json::Object& source, bool in_path) {
  ProtoWriter out;
  put_bool(out, 1, source, "required");
  put_text(out, 2, source, "in");
  put_text(out, 3, source, "description");
  put_text(out, 4, source, "name");
  put_text(out, in_path ? 5 : 6, source, "type");
  put_bool(out, in_path ? 19 : 20, source, "uniqueItems");
  return out;
}

// ParametersItem > Parameter > body_parameter=1 | non_body_parameter=2 > query=3 | path=4.
ProtoWriter parameters_item(const json::Value& value) {
  const auto& source = members(value);
  const auto place = json::string_or(value, "in");
  ProtoWriter parameter;
  if (place == "body") {
    parameter.message(1, body_parameter(source));
  } else {
    const bool in_path = place == "path";
    ProtoWriter non_body;
    non_body.message(in_path ? 4 : 3, plain_parameter(source, in_path));
    parameter.message(2, non_body);
  }
  ProtoWriter out;
  out.message(1, parameter);
  return out;
}

void put_parameters(ProtoWriter& out, uint32_t field, const json::Object& source) {
  const auto* value = source.if_contains("parameters");
  if (value == nullptr || !value->is_array()) return;
  for (const auto& item : value->get_array()) out.message(field, parameters_item(item));
}

// ResponseValue > Response.
ProtoWriter response_value(const json::Value& value) {
  const auto& source = members(value);
  ProtoWriter response;
  put_text(response, 1, source, "description");
  if (const auto* answer = source.if_contains("schema")) {
    ProtoWriter item;
    item.message(1, schema(*answer));
    response.message(2, item);
  }
  ProtoWriter out;
  out.message(1, response);
  return out;
}

ProtoWriter operation(const json::Value& value) {
  const auto& source = members(value);
  ProtoWriter out;
  put_text(out, 3, source, "description");
  put_text(out, 5, source, "operationId");
  put_texts(out, 6, source, "produces");
  put_texts(out, 7, source, "consumes");
  put_parameters(out, 8, source);
  if (const auto* responses = source.if_contains("responses")) {
    ProtoWriter list;
    for (const auto& member : members(*responses)) list.message(1, named(member.key(), response_value(member.value())));
    out.message(9, list);
  }
  put_extensions(out, 13, source);
  return out;
}

ProtoWriter path_item(const json::Value& value) {
  static constexpr std::pair<uint32_t, std::string_view> kMethods[] = {
      {2, "get"}, {3, "put"}, {4, "post"}, {5, "delete"}, {8, "patch"}};
  const auto& source = members(value);
  ProtoWriter out;
  for (const auto& [field, method] : kMethods) {
    if (const auto* found = source.if_contains(method)) out.message(field, operation(*found));
  }
  put_parameters(out, 9, source);
  return out;
}

}  // namespace

std::string openapi_v2_protobuf(const json::Value& swagger) {
  const auto& source = members(swagger);
  ProtoWriter out;
  put_text(out, 1, source, "swagger");
  if (const auto* about = source.if_contains("info")) {
    ProtoWriter info;
    put_text(info, 1, members(*about), "title");
    put_text(info, 2, members(*about), "version");
    out.message(2, info);
  }
  if (const auto* paths = source.if_contains("paths")) {
    ProtoWriter list;
    for (const auto& member : members(*paths)) list.message(2, named(member.key(), path_item(member.value())));
    out.message(8, list);
  }
  if (const auto* definitions = source.if_contains("definitions")) out.message(9, named_schemas(*definitions));
  return out.bytes();
}

}  // namespace chandler::apiserver
