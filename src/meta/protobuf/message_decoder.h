// Turns the bytes of one protobuf message into JSON, as the table says. The result is what the same client would have
// sent as JSON, less what is empty anyway. Fields that the table does not know are skipped. Pure; no state is kept.
#pragma once

#include <string_view>

#include "base/result.h"
#include "json/value.h"
#include "meta/protobuf/table.h"
#include "meta/protobuf/wire_reader.h"

namespace chandler::meta {

class MessageDecoder {
 public:
  explicit MessageDecoder(const ProtobufTable& table) : table_(table) {}

  // Adds the fields to `out`. BadRequest when the bytes do not fit the table or would nest deeper than JSON may.
  Result<void> decode(const ProtobufMessage& message, std::string_view bytes, json::Object& out,
                      size_t depth = 1) const;

 private:
  Result<void> decode_field(const ProtobufField& field, const WireField& wire, json::Object& out, size_t depth) const;
  Result<void> decode_element(const ProtobufField& field, const WireField& wire, json::Array& out, size_t depth) const;
  Result<void> decode_entry(const ProtobufField& field, const WireField& wire, json::Object& out, size_t depth) const;
  Result<json::Value> decode_value(const ProtobufField& field, const WireField& wire, size_t depth) const;
  Result<json::Value> decode_oneof(const ProtobufMessage& message, std::string_view bytes, size_t depth) const;

  const ProtobufTable& table_;
};

}  // namespace chandler::meta
