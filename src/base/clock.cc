#include "base/clock.h"

namespace chandler {
namespace {

class SystemClock final : public Clock {
 public:
  WallTime now() const override {
    return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
  }
  MonoTime mono() const override { return std::chrono::steady_clock::now(); }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

}  // namespace chandler
