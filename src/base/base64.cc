// The base64 functions of text.h.
#include <array>

#include "base/text.h"

namespace chandler {
namespace {

constexpr std::string_view kStandard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrl = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr unsigned char kBad = 0xFF;

using Digits = std::array<unsigned char, 256>;

constexpr Digits digits_of(std::string_view alphabet) {
  Digits digits{};
  for (auto& digit : digits) digit = kBad;
  for (size_t i = 0; i < alphabet.size(); ++i) {
    digits[static_cast<unsigned char>(alphabet[i])] = static_cast<unsigned char>(i);
  }
  return digits;
}

constexpr Digits kStandardDigits = digits_of(kStandard);
constexpr Digits kUrlDigits = digits_of(kUrl);

std::string encode(std::string_view bytes, std::string_view alphabet) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  uint32_t bits = 0;
  unsigned held = 0;
  for (const char c : bytes) {
    bits = (bits << 8) | static_cast<unsigned char>(c);
    for (held += 8; held >= 6; held -= 6) out += alphabet[(bits >> (held - 6)) & 63];
  }
  if (held > 0) out += alphabet[(bits << (6 - held)) & 63];
  return out;
}

// Text without padding. Left-over bits of the last digit are ignored, as Go does.
std::optional<std::string> decode(std::string_view text, const Digits& digits) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string out;
  out.reserve(text.size() * 3 / 4);
  uint32_t bits = 0;
  unsigned held = 0;
  for (const char c : text) {
    const unsigned char digit = digits[static_cast<unsigned char>(c)];
    if (digit == kBad) return std::nullopt;
    bits = (bits << 6) | digit;
    held += 6;
    if (held >= 8) {
      held -= 8;
      out += static_cast<char>(bits >> held);
    }
  }
  return out;
}

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string out = encode(bytes, kStandard);
  out.append((4 - out.size() % 4) % 4, '=');
  return out;
}

std::optional<std::string> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  return decode(text, kStandardDigits);
}

std::string base64url_encode(std::string_view bytes) { return encode(bytes, kUrl); }

std::optional<std::string> base64url_decode(std::string_view text) { return decode(text, kUrlDigits); }

}  // namespace chandler
