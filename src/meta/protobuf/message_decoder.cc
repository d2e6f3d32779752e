#include "meta/protobuf/message_decoder.h"

#include <fmt/format.h>

#include "base/text.h"
#include "json/reader.h"
#include "meta/protobuf/scalars.h"

namespace chandler::meta {
namespace {

// What we decode is stored, and must be readable again.
const size_t kMaxDepth = json::ReadOptions{}.max_depth;

Result<void> expect(const ProtobufField& field, const WireField& wire, WireType want) {
  if (wire.type == want) return {};
  return malformed_protobuf(fmt::format("field {} ({}) has wire type {}, not {}", field.name, field.number,
                                        static_cast<int>(wire.type), static_cast<int>(want)));
}

}  // namespace

Result<void> MessageDecoder::decode(const ProtobufMessage& message, std::string_view bytes, json::Object& out,
                                    size_t depth) const {
  if (depth > kMaxDepth) return malformed_protobuf(fmt::format("it nests deeper than {} levels", kMaxDepth));
  for (WireReader reader(bytes); !reader.done();) {
    CH_TRY_LET(wire, reader.next());
    if (const auto* field = message.find(wire.number)) CH_TRY(decode_field(*field, wire, out, depth));
  }
  return {};
}

Result<void> MessageDecoder::decode_field(const ProtobufField& field, const WireField& wire, json::Object& out,
                                          size_t depth) const {
  if (field.shape == ProtobufShape::kInline) {
    CH_TRY(expect(field, wire, WireType::kBytes));
    return decode(table_.message(field.message), wire.bytes, out, depth + 1);
  }
  if (field.shape == ProtobufShape::kList) {
    auto& list = out[field.name];
    if (!list.is_array()) list.emplace_array();
    return decode_element(field, wire, list.get_array(), depth + 2);
  }
  if (field.shape == ProtobufShape::kMap) {
    auto& map = out[field.name];
    if (!map.is_object()) map.emplace_object();
    return decode_entry(field, wire, map.get_object(), depth + 2);
  }
  if (field.type == ProtobufType::kMessage && !table_.message(field.message).oneof) {
    CH_TRY(expect(field, wire, WireType::kBytes));
    auto& object = out[field.name];  // a message that comes in pieces is merged
    if (!object.is_object()) object.emplace_object();
    return decode(table_.message(field.message), wire.bytes, object.get_object(), depth + 1);
  }
  CH_TRY_LET(value, decode_value(field, wire, depth + 1));
  if (is_zero(field.type, value) && !field.keeps_zero) {
    out.erase(field.name);
  } else {
    out[field.name] = std::move(value);
  }
  return {};
}

Result<void> MessageDecoder::decode_element(const ProtobufField& field, const WireField& wire, json::Array& out,
                                            size_t depth) const {
  const auto element = wire_type(field.type);
  const bool packed = element != WireType::kBytes && wire.type == WireType::kBytes;
  if (!packed) {
    CH_TRY_LET(value, decode_value(field, wire, depth));
    out.push_back(std::move(value));
    return {};
  }
  for (WireReader reader(wire.bytes); !reader.done();) {
    CH_TRY_LET(bits, element == WireType::kVarint ? reader.varint() : reader.fixed(8));
    CH_TRY_LET(value, decode_value(field, {.number = field.number, .type = element, .bits = bits, .bytes = {}}, depth));
    out.push_back(std::move(value));
  }
  return {};
}

// key=1, value=2; what is missing is empty
Result<void> MessageDecoder::decode_entry(const ProtobufField& field, const WireField& wire, json::Object& out,
                                          size_t depth) const {
  CH_TRY(expect(field, wire, WireType::kBytes));
  std::string_view key = "";
  WireField value{.number = 2, .type = wire_type(field.type), .bits = 0, .bytes = ""};
  for (WireReader reader(wire.bytes); !reader.done();) {
    CH_TRY_LET(part, reader.next());
    if (part.number == 1) {
      CH_TRY(expect(field, part, WireType::kBytes));
      key = part.bytes;
    }
    if (part.number == 2) value = part;
  }
  if (!is_valid_utf8(key)) return malformed_protobuf(fmt::format("a key in {} is not valid UTF-8", field.name));
  CH_TRY_LET(decoded, decode_value(field, value, depth));
  out[key] = std::move(decoded);
  return {};
}

Result<json::Value> MessageDecoder::decode_value(const ProtobufField& field, const WireField& wire,
                                                 size_t depth) const {
  CH_TRY(expect(field, wire, wire_type(field.type)));
  if (field.type != ProtobufType::kMessage) {
    return decode_scalar(field.type, wire, depth > kMaxDepth ? 0 : kMaxDepth - depth);
  }
  const auto& message = table_.message(field.message);
  if (message.oneof) return decode_oneof(message, wire.bytes, depth);
  json::Object object;
  CH_TRY(decode(message, wire.bytes, object, depth));
  return json::Value(std::move(object));
}

Result<json::Value> MessageDecoder::decode_oneof(const ProtobufMessage& message, std::string_view bytes,
                                                 size_t depth) const {
  json::Object choices;
  CH_TRY(decode(message, bytes, choices, depth));
  for (const auto& field : message.fields) {
    if (auto* value = choices.if_contains(field.name)) return std::move(*value);
  }
  return json::Value(nullptr);
}

}  // namespace chandler::meta
