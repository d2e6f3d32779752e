// Writes the protobuf wire format: one message, field by field. Fields that are empty or false are left out, as proto3
// does. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace chandler::apiserver {

class ProtoWriter {
 public:
  void text(uint32_t field, std::string_view value);
  void boolean(uint32_t field, bool value);
  void integer(uint32_t field, int64_t value);
  void real(uint32_t field, double value);
  // A nested message; written even when it is empty, because its presence may be what counts.
  void message(uint32_t field, const ProtoWriter& value);

  const std::string& bytes() const { return bytes_; }

 private:
  void tag(uint32_t field, unsigned wire_type);
  void varint(uint64_t value);
  void delimited(uint32_t field, std::string_view value);

  std::string bytes_;
};

}  // namespace chandler::apiserver
