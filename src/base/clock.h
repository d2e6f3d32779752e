// Time comes in through a seam, so that tests and the simulation decide what time it is. Thread-safe.
#pragma once

#include <chrono>

namespace chandler {

using WallTime = std::chrono::sys_time<std::chrono::microseconds>;
using MonoTime = std::chrono::steady_clock::time_point;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallTime now() const = 0;   // for what is stored and shown
  virtual MonoTime mono() const = 0;  // for time-outs; never goes back
};

// The one clock of a running program.
const Clock& system_clock();

}  // namespace chandler
