// Request bodies of type application/vnd.kubernetes.protobuf, as the JSON documents they stand for. Go clients send
// such bodies for Kubernetes' own kinds. Thread-safe.
#pragma once

#include <string_view>

#include "base/result.h"
#include "json/value.h"
#include "meta/protobuf/table.h"

namespace chandler::meta {

// The document with apiVersion and kind from the envelope. BadRequest when the body is malformed,
// UnsupportedMediaType when api/protobuf.txt does not know its kind.
Result<json::Value> decode_protobuf(std::string_view body);
Result<json::Value> decode_protobuf(std::string_view body, const ProtobufTable& table);

// The table of api/protobuf.txt.
const ProtobufTable& builtin_protobuf_table();

}  // namespace chandler::meta
