// For the tests of this folder: writes the protobuf wire format, field by field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace chandler::meta::testing {

inline std::string varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
  return out;
}

inline std::string tag(uint32_t number, unsigned wire_type) { return varint((uint64_t{number} << 3) | wire_type); }

inline std::string number(uint32_t field, int64_t value) {
  return tag(field, 0) + varint(static_cast<uint64_t>(value));
}

inline std::string bytes(uint32_t field, std::string_view content) {
  return tag(field, 2) + varint(content.size()) + std::string(content);
}

inline std::string entry(uint32_t field, std::string_view key, std::string_view value) {
  return bytes(field, bytes(1, key) + bytes(2, value));
}

inline std::string moment(uint32_t field, int64_t seconds, int64_t nanos = 0) {
  return bytes(field, number(1, seconds) + number(2, nanos));
}

inline std::string real(uint32_t field, std::string_view little_endian) {
  return tag(field, 1) + std::string(little_endian);
}

// The body of a request: magic and envelope around the message.
inline std::string body(std::string_view api_version, std::string_view kind, std::string_view message) {
  return std::string("k8s\0", 4) + bytes(1, bytes(1, api_version) + bytes(2, kind)) + bytes(2, message) + bytes(3, "") +
         bytes(4, "");
}

}  // namespace chandler::meta::testing
