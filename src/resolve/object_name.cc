#include "resolve/object_name.h"

#include <cstdint>

#include <fmt/format.h>

#include "base/text.h"
#include "resolve/digest.h"

namespace chandler::resolve {
namespace {

constexpr size_t kMaxName = 63;
constexpr size_t kKeptOfLongName = 30;
constexpr uint32_t kReplacement = 0xFFFD;

// The code point that `text` starts with, and its length in bytes.
uint32_t next_code_point(std::string_view text, size_t& length) {
  const auto lead = static_cast<unsigned char>(text[0]);
  length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (length == 1) return lead;
  if (text.size() < length || !is_valid_utf8(text.substr(0, length))) {
    length = 1;
    return kReplacement;
  }
  uint32_t code = lead & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i) code = (code << 6U) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  return code;
}

}  // namespace

std::string object_name_of_id(std::string_view id) {
  std::string name;
  char before = '\0';  // the last character, if it was kept as it is
  for (size_t at = 0, length = 0; at < id.size(); at += length) {
    const uint32_t code = next_code_point(id.substr(at), length);
    const bool inside = at > 0 && at + length < id.size();
    const bool kept = (code >= 'a' && code <= 'y') || (code >= '0' && code <= '9') ||
                      (code == '-' && inside && before != '.') ||
                      (code == '.' && inside && before != '.' && before != '-');
    before = kept ? static_cast<char>(code) : '\0';
    if (kept) {
      name += before;
    } else {
      name += fmt::format("z{:x}z", code);
    }
  }
  if (name.size() <= kMaxName) return name;
  name.resize(kKeptOfLongName);
  if (name.back() == '.') name.pop_back();
  return name + "-" + md5_hex(id);
}

std::string plan_name_when_taken(std::string_view plan_id, std::string_view class_id) {
  return object_name_of_id(fmt::format("{}-{}", plan_id, class_id));
}

std::string class_name_when_taken(std::string_view class_id, std::string_view broker_name) {
  return object_name_of_id(fmt::format("{}-{}", class_id, broker_name));
}

}  // namespace chandler::resolve
