// The JSON form of a single protobuf value that is no message of the table. Pure.
#pragma once

#include "base/result.h"
#include "json/value.h"
#include "meta/protobuf/table.h"
#include "meta/protobuf/wire_reader.h"

namespace chandler::meta {

// How a value of `type` stands on the wire.
WireType wire_type(ProtobufType type);

// `wire` has the wire type that goes with `type`, which is not kMessage. `max_depth` bounds JSON inside of bytes.
Result<json::Value> decode_scalar(ProtobufType type, const WireField& wire, size_t max_depth);

// Null, false, 0, "": what a Go client leaves out of JSON. JSON itself and messages have no zero but null.
bool is_zero(ProtobufType type, const json::Value& value);

}  // namespace chandler::meta
