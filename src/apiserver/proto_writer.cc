#include "apiserver/proto_writer.h"

#include <bit>

namespace chandler::apiserver {

void ProtoWriter::varint(uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
  bytes_ += static_cast<char>(value);
}

void ProtoWriter::tag(uint32_t field, unsigned wire_type) { varint((uint64_t{field} << 3) | wire_type); }

void ProtoWriter::delimited(uint32_t field, std::string_view value) {
  tag(field, 2);
  varint(value.size());
  bytes_.append(value);
}

void ProtoWriter::text(uint32_t field, std::string_view value) {
  if (!value.empty()) delimited(field, value);
}

void ProtoWriter::boolean(uint32_t field, bool value) {
  if (!value) return;
  tag(field, 0);
  varint(1);
}

void ProtoWriter::integer(uint32_t field, int64_t value) {
  if (value == 0) return;
  tag(field, 0);
  varint(static_cast<uint64_t>(value));
}

void ProtoWriter::real(uint32_t field, double value) {
  if (value == 0) return;
  tag(field, 1);
  auto bits = std::bit_cast<uint64_t>(value);
  for (int i = 0; i < 8; ++i, bits >>= 8) bytes_ += static_cast<char>(bits & 0xff);
}

void ProtoWriter::message(uint32_t field, const ProtoWriter& value) { delimited(field, value.bytes()); }

}  // namespace chandler::apiserver
