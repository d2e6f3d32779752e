#include "meta/protobuf/scalars.h"

#include <bit>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "base/time_text.h"
#include "json/reader.h"

namespace chandler::meta {
namespace {

// The years 1 to 9999, which RFC 3339 can say.
constexpr int64_t kFirstSecond = -62'135'596'800;
constexpr int64_t kLastSecond = 253'402'300'799;

Result<json::Value> decode_string(std::string_view bytes) {
  if (!is_valid_utf8(bytes)) return malformed_protobuf("a string is not valid UTF-8");
  return json::Value(bytes);
}

// seconds=1, nanos=2
Result<json::Value> decode_time(std::string_view bytes, bool micro) {
  if (bytes.empty()) return json::Value(nullptr);
  int64_t seconds = 0;
  int64_t nanos = 0;
  for (WireReader reader(bytes); !reader.done();) {
    CH_TRY_LET(field, reader.next());
    if (field.number == 1) seconds = static_cast<int64_t>(field.bits);
    if (field.number == 2) nanos = static_cast<int64_t>(field.bits);
  }
  if (seconds < kFirstSecond || seconds > kLastSecond || nanos < 0 || nanos > 999'999'999) {
    return malformed_protobuf(fmt::format("{} seconds and {} nanoseconds are no time", seconds, nanos));
  }
  const WallTime time{std::chrono::seconds(seconds) + std::chrono::microseconds(nanos / 1000)};
  return json::Value(micro ? rfc3339_micro(time) : rfc3339(time));
}

// type=1 (0: number, 1: string), intVal=2, strVal=3
Result<json::Value> decode_int_or_string(std::string_view bytes) {
  uint64_t type = 0;
  int32_t number = 0;
  std::string_view text = "";
  for (WireReader reader(bytes); !reader.done();) {
    CH_TRY_LET(field, reader.next());
    if (field.number == 1) type = field.bits;
    if (field.number == 2) number = static_cast<int32_t>(field.bits);
    if (field.number == 3) text = field.bytes;
  }
  if (type > 1) return malformed_protobuf(fmt::format("{} is neither the number nor the string type", type));
  if (type == 1) return decode_string(text);
  return json::Value(number);
}

Result<json::Value> decode_double(uint64_t bits) {
  const auto number = std::bit_cast<double>(bits);
  if (!std::isfinite(number)) return malformed_protobuf("a number is not finite");
  return json::Value(number);
}

Result<json::Value> decode_json(std::string_view bytes, size_t max_depth) {
  if (bytes.empty()) return json::Value(nullptr);
  auto value = json::parse(bytes, {.max_depth = max_depth, .storage = {}});
  if (!value.ok()) return malformed_protobuf(fmt::format("embedded JSON: {}", value.error().message));
  return value;
}

}  // namespace

WireType wire_type(ProtobufType type) {
  switch (type) {
    case ProtobufType::kBool:
    case ProtobufType::kInt32:
    case ProtobufType::kInt64:
      return WireType::kVarint;
    case ProtobufType::kDouble:
      return WireType::kFixed64;
    default:
      return WireType::kBytes;
  }
}

Result<json::Value> decode_scalar(ProtobufType type, const WireField& wire, size_t max_depth) {
  switch (type) {
    case ProtobufType::kString:
      return decode_string(wire.bytes);
    case ProtobufType::kBytes:
      return json::Value(base64_encode(wire.bytes));
    case ProtobufType::kBool:
      return json::Value(wire.bits != 0);
    case ProtobufType::kInt32:
      return json::Value(static_cast<int32_t>(wire.bits));
    case ProtobufType::kInt64:
      return json::Value(static_cast<int64_t>(wire.bits));
    case ProtobufType::kDouble:
      return decode_double(wire.bits);
    case ProtobufType::kJson:
      return decode_json(wire.bytes, max_depth);
    case ProtobufType::kTime:
    case ProtobufType::kMicroTime:
      return decode_time(wire.bytes, type == ProtobufType::kMicroTime);
    case ProtobufType::kIntOrString:
      return decode_int_or_string(wire.bytes);
    case ProtobufType::kMessage:
      break;
  }
  CH_CHECK(false);
  return json::Value(nullptr);
}

bool is_zero(ProtobufType type, const json::Value& value) {
  if (type == ProtobufType::kJson || type == ProtobufType::kMessage) return value.is_null();
  switch (value.kind()) {
    case boost::json::kind::null:
      return true;
    case boost::json::kind::bool_:
      return !value.get_bool();
    case boost::json::kind::int64:
      return value.get_int64() == 0;
    case boost::json::kind::double_:
      return value.get_double() == 0;
    case boost::json::kind::string:
      return value.get_string().empty();
    default:
      return false;
  }
}

}  // namespace chandler::meta
