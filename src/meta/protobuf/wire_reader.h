// Reads the protobuf wire format: fields, each a number and a value. It knows neither names nor types, and checks every
// length against what is left. Views point into the bytes given; belongs to one thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace chandler::meta {

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct WireField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t bits = 0;            // of the number types
  std::string_view bytes = "";  // of kBytes; never null, which Boost.JSON would hand to memcpy
};

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  bool done() const { return rest_.empty(); }
  Result<WireField> next();  // BadRequest when the bytes make no field
  Result<uint64_t> varint();
  Result<uint64_t> fixed(size_t width);  // little endian

 private:
  Result<std::string_view> take(uint64_t size);

  std::string_view rest_;
};

Error malformed_protobuf(std::string_view what);

}  // namespace chandler::meta
