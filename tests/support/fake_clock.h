// A clock that stands still until told otherwise.
#pragma once

#include "base/clock.h"
#include "base/mutex.h"

namespace chandler::testing {

class FakeClock final : public Clock {
 public:
  explicit FakeClock(WallTime start = WallTime(std::chrono::seconds(1'700'000'000))) : wall_(start) {}

  WallTime now() const override {
    MutexLock lock(mutex_);
    return wall_;
  }
  MonoTime mono() const override {
    MutexLock lock(mutex_);
    return mono_;
  }
  void advance(std::chrono::microseconds by) {
    MutexLock lock(mutex_);
    wall_ += by;
    mono_ += by;
  }

 private:
  mutable Mutex mutex_;
  WallTime wall_ CH_GUARDED_BY(mutex_);
  MonoTime mono_ CH_GUARDED_BY(mutex_){};
};

}  // namespace chandler::testing
