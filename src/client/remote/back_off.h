// How long to wait after failures: doubling, with jitter, so that many clients do not come back together. Not
// thread-safe.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/ids.h"

namespace chandler::client {

class BackOff {
 public:
  using Milliseconds = std::chrono::milliseconds;
  BackOff(Milliseconds first, Milliseconds last) : first_(first), last_(last), current_(first) {}

  Milliseconds next() {
    const auto full = current_;
    current_ = std::min(current_ * 2, last_);
    const auto random = static_cast<unsigned char>(random_bytes(1).front());
    return full / 2 + full * random / 510;  // between a half and the whole
  }
  void reset() { current_ = first_; }

 private:
  const Milliseconds first_;
  const Milliseconds last_;
  Milliseconds current_;
};

}  // namespace chandler::client
