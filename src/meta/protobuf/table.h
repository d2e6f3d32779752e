// The shapes of Kubernetes' own kinds on the protobuf wire, read from api/protobuf.txt; that file explains the
// notation. Immutable once parsed, hence safe to share between threads. Messages point to one another by index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace chandler::meta {

enum class ProtobufType : uint8_t {
  kString,
  kBytes,
  kBool,
  kInt32,
  kInt64,
  kDouble,
  kJson,
  kTime,
  kMicroTime,
  kIntOrString,
  kMessage,
};

enum class ProtobufShape : uint8_t { kOne, kList, kMap, kInline };

struct ProtobufField {
  uint32_t number = 0;
  std::string name;  // in JSON
  ProtobufType type = ProtobufType::kString;
  ProtobufShape shape = ProtobufShape::kOne;
  bool keeps_zero = false;  // a zero that was sent is a value, not an absence
  size_t message = 0;       // of kMessage
};

struct ProtobufMessage {
  std::string name;
  bool oneof = false;  // in JSON it is the first field that is present, instead of an object
  std::vector<ProtobufField> fields;

  const ProtobufField* find(uint32_t number) const;
};

class ProtobufTable {
 public:
  static Result<ProtobufTable> parse(std::string_view text);

  // Null when the table does not know the kind.
  const ProtobufMessage* find(std::string_view api_version, std::string_view kind) const;
  const ProtobufMessage& message(size_t index) const { return messages_[index]; }

 private:
  friend class ProtobufTableParser;

  std::map<std::string, size_t, std::less<>> kinds_;  // by "apps/v1/Deployment" or "*/DeleteOptions"
  std::vector<ProtobufMessage> messages_;
};

}  // namespace chandler::meta
