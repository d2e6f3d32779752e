// For the tests of this folder: header blocks of HTTP/2 by hand, as an encoder that is out to cost much would write
// them, and the frames that carry them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "http/frame_scanner.h"
#include "http/http2_test_peer.h"

namespace chandler::http::testing {

inline constexpr size_t kLargestFrame = 16 * 1024;

// GET, https, "/" and an authority: what every head needs. Leaves the table as it is.
inline constexpr std::string_view kBlockStart{"\x82\x87\x84\x01\x01\x61", 6};
// POST instead of GET.
inline constexpr std::string_view kPostStart{"\x83\x87\x84\x01\x01\x61", 6};
// The newest entry of the table, by one byte.
inline constexpr char kNewest = '\xBE';

// An integer behind the seven bits of a string's length, without its code.
inline std::string text_length(size_t size) {
  if (size < 127) return {static_cast<char>(size)};
  std::string out = "\x7F";
  for (size -= 127; size >= 128; size /= 128) out += static_cast<char>(size % 128 + 128);
  return out + static_cast<char>(size);
}

inline std::string block_text(std::string_view text) { return text_length(text.size()).append(text); }

// A field that is not put into the table.
inline std::string literal(std::string_view name, std::string_view value) {
  return std::string(1, '\0') + block_text(name) + block_text(value);
}

// A field that is put into the table and is its newest entry then.
inline std::string entered(std::string_view name, std::string_view value) {
  return "\x40" + block_text(name) + block_text(value);
}

// As many frames as the block needs.
inline std::string block_frames(int32_t stream, std::string_view block, bool ends_stream = true) {
  std::string frames;
  uint8_t type = 1;
  do {
    const std::string_view piece = block.substr(0, kLargestFrame);
    block.remove_prefix(piece.size());
    const uint8_t flags = (type == 1 && ends_stream ? 0x1 : 0) | (block.empty() ? 0x4 : 0);
    frames += raw_frame(type, flags, stream, piece);
    type = 9;
  } while (!block.empty());
  return frames;
}

inline std::string client_preface() { return std::string(FrameScanner::kPreface) + raw_frame(4, 0, 0); }

}  // namespace chandler::http::testing
