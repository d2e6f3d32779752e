// Follows the frames of HTTP/2 in the bytes that a client sends, without looking into them: what sort each one is and
// whether a header block is under way. nghttp2 does not tell of frames that it passes over, and those are what floods
// are made of. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace chandler::http {

// As on the wire; there are others, which are to be passed over.
enum class FrameType : uint8_t {
  kData = 0,
  kHeaders = 1,
  kPriority = 2,
  kRstStream = 3,
  kSettings = 4,
  kPushPromise = 5,
  kPing = 6,
  kGoaway = 7,
  kWindowUpdate = 8,
  kContinuation = 9,
};

struct FrameHead {
  FrameType type = FrameType::kData;
  uint8_t flags = 0;
  size_t length = 0;  // of the payload

  bool ends_stream() const { return (flags & 0x1) != 0; }   // DATA and HEADERS
  bool ends_headers() const { return (flags & 0x4) != 0; }  // HEADERS and CONTINUATION
};

class FrameScanner {
 public:
  static constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

  // Calls found(FrameHead) for each frame whose head is complete now. Stops early when it returns false.
  template <typename Found>
  void scan(std::string_view bytes, const Found& found) {
    while (!bytes.empty()) {
      const size_t size = step(bytes);
      bytes.remove_prefix(size);
      if (head_complete_ && !found(head_)) return;
    }
  }

  // The client owes the rest of the preface with its first SETTINGS, or of a header block.
  bool owes() const { return !begun_ || in_headers_; }

 private:
  static constexpr size_t kHeadSize = 9;

  size_t step(std::string_view bytes);
  void end_frame();

  size_t preface_left_ = kPreface.size();
  uint8_t raw_[kHeadSize] = {};
  size_t raw_size_ = 0;
  size_t payload_left_ = 0;
  FrameHead head_;
  bool head_complete_ = false;  // in the last step
  bool begun_ = false;          // a whole frame has come
  bool in_headers_ = false;
};

}  // namespace chandler::http
