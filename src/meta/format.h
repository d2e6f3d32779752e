// The string and number formats that structural schemas may name. Unknown formats are ignored, as the API does.
#pragma once

#include <cstdint>
#include <string_view>

namespace chandler::meta {

enum class Format : uint8_t {
  kNone,
  kBsonObjectId,
  kUri,
  kEmail,
  kHostname,
  kIpv4,
  kIpv6,
  kCidr,
  kMac,
  kUuid,
  kUuid3,
  kUuid4,
  kUuid5,
  kIsbn,
  kIsbn10,
  kIsbn13,
  kCreditCard,
  kSsn,
  kHexColor,
  kRgbColor,
  kByte,
  kDate,
  kDuration,
  kDateTime,
  kShortName,
  kLongName,
  kInt32,
  kInt64,
  kFloat,
  kDouble,
  kQuantity,
  kMicroTime,  // built-in kinds only
};

// kNone when unknown. `password` is known and accepts everything, so it is kNone too.
Format format_named(std::string_view name, bool built_in);
std::string_view format_name(Format format);
// Whether kube-apiserver checks this format where a CustomResourceDefinition gives it to a field of this type ("" for
// none). It warns of any other.
bool is_recognized_format(std::string_view type, std::string_view name);

// Number formats hold for every string.
bool string_has_format(std::string_view text, Format format);
// An integer within the range of int32, int64; everything else holds.
bool number_has_format(long double number, Format format);

}  // namespace chandler::meta
