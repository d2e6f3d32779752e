// How often something may happen: a number of times at once, then so many times a second. Not thread-safe.
#pragma once

#include <algorithm>
#include <chrono>

namespace chandler::http {

class TokenBucket {
 public:
  using Time = std::chrono::steady_clock::time_point;

  struct Rate {
    double at_once;
    double per_second;
  };

  explicit TokenBucket(Rate rate) : rate_(rate), tokens_(rate.at_once) {}

  // False: that was once too often.
  bool take(Time now, double tokens = 1) {
    if (tokens_ < tokens) {
      const double seconds = std::chrono::duration<double>(now - filled_).count();
      give(std::max(0.0, seconds) * rate_.per_second);
      filled_ = now;
      if (tokens_ < tokens) return false;
    } else if (tokens_ == rate_.at_once) {
      filled_ = now;
    }
    tokens_ -= tokens;
    return true;
  }

  // What the other side does because of us is made good here.
  void give(double tokens) { tokens_ = std::min(rate_.at_once, tokens_ + tokens); }

 private:
  const Rate rate_;
  double tokens_;
  Time filled_{};
};

}  // namespace chandler::http
