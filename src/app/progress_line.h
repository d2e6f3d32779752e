// Progress of a command on standard error: at most once a second, so that a short job says nothing. Not thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

#include <fmt/format.h>

namespace chandler::app {

class ProgressLine {
 public:
  // "restore: 12000 of 100000 objects"
  ProgressLine(std::string command, std::string what) : command_(std::move(command)), what_(std::move(what)) {}

  void show(int64_t done, int64_t all) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::seconds(1);
    if (all > 0) {
      fmt::print(stderr, "{}: {} of {} {}\n", command_, done, all, what_);
    } else {
      fmt::print(stderr, "{}: {} {}\n", command_, done, what_);
    }
  }

 private:
  const std::string command_;
  const std::string what_;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::seconds(1);
};

}  // namespace chandler::app
