#include "meta/protobuf/wire_reader.h"

#include <fmt/format.h>

namespace chandler::meta {
namespace {

constexpr uint64_t kMaxFieldNumber = (1u << 29) - 1;

}  // namespace

Error malformed_protobuf(std::string_view what) {
  return bad_request(fmt::format("the protobuf body is malformed: {}", what));
}

Result<std::string_view> WireReader::take(uint64_t size) {
  if (size > rest_.size()) {
    return malformed_protobuf(fmt::format("{} bytes are announced where {} are left", size, rest_.size()));
  }
  const auto taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

Result<uint64_t> WireReader::varint() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    CH_TRY_LET(taken, take(1));
    const auto byte = static_cast<unsigned char>(taken[0]);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return malformed_protobuf("a varint has more than ten bytes");
}

Result<uint64_t> WireReader::fixed(size_t width) {
  CH_TRY_LET(taken, take(width));
  uint64_t value = 0;
  for (size_t i = 0; i < width; ++i) value |= static_cast<uint64_t>(static_cast<unsigned char>(taken[i])) << (8 * i);
  return value;
}

Result<WireField> WireReader::next() {
  CH_TRY_LET(tag, varint());
  const uint64_t number = tag >> 3;
  if (number == 0 || number > kMaxFieldNumber) return malformed_protobuf(fmt::format("{} is no field number", number));
  WireField field;
  field.number = static_cast<uint32_t>(number);
  field.type = static_cast<WireType>(tag & 7);
  switch (field.type) {
    case WireType::kVarint: {
      CH_TRY_LET(bits, varint());
      field.bits = bits;
      return field;
    }
    case WireType::kFixed64:
    case WireType::kFixed32: {
      CH_TRY_LET(bits, fixed(field.type == WireType::kFixed64 ? 8 : 4));
      field.bits = bits;
      return field;
    }
    case WireType::kBytes: {
      CH_TRY_LET(size, varint());
      CH_TRY_LET(bytes, take(size));
      field.bytes = bytes;
      return field;
    }
  }
  return malformed_protobuf(fmt::format("field {} has the unknown wire type {}", number, tag & 7));
}

}  // namespace chandler::meta
