#include "http/frame_scanner.h"

#include <algorithm>
#include <cstring>

namespace chandler::http {

size_t FrameScanner::step(std::string_view bytes) {
  head_complete_ = false;
  if (preface_left_ > 0) {
    const size_t size = std::min(preface_left_, bytes.size());
    preface_left_ -= size;
    return size;
  }
  if (payload_left_ > 0) {
    const size_t size = std::min(payload_left_, bytes.size());
    payload_left_ -= size;
    if (payload_left_ == 0) end_frame();
    return size;
  }
  const size_t size = std::min(kHeadSize - raw_size_, bytes.size());
  std::memcpy(raw_ + raw_size_, bytes.data(), size);
  raw_size_ += size;
  if (raw_size_ < kHeadSize) return size;
  raw_size_ = 0;
  payload_left_ = static_cast<size_t>(raw_[0]) << 16 | static_cast<size_t>(raw_[1]) << 8 | raw_[2];
  head_ = {static_cast<FrameType>(raw_[3]), raw_[4], payload_left_};
  head_complete_ = true;
  if (head_.type == FrameType::kHeaders) in_headers_ = true;
  if (payload_left_ == 0) end_frame();
  return size;
}

void FrameScanner::end_frame() {
  begun_ = true;
  const bool in_block = head_.type == FrameType::kHeaders || head_.type == FrameType::kContinuation;
  if (in_block && head_.ends_headers()) in_headers_ = false;
}

}  // namespace chandler::http
