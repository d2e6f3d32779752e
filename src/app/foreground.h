// What every long-running command does: logging as told, signals taken as ordinary code, its end, an address
// understood.
#pragma once

#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/result.h"

namespace chandler::app {

// "chandler: <message>" on stderr; returns the exit code.
int fail_with(const Error& error);

Result<void> configure_log(const std::string& level, const std::string& format);

// Blocks the signals that end a program in all threads made from here on.
class Signals {
 public:
  enum class End { kSignal, kFailure };

  Signals();
  // Returns when a signal has come or a part has failed.
  End wait();
  // A part cannot go on and wants the process to end. From any thread; does not wait.
  void report_failure();
  bool has_failure() const { return failed_.load(); }

 private:
  sigset_t set_;
  std::atomic<bool> failed_{false};
};

// Ends the process now, without running destructors: for what must not write any more.
[[noreturn]] void end_process(int code);
// The same in any case after so long, also while something waits for a disk.
void end_process_after(std::chrono::seconds time);

struct Address {
  std::string host;
  uint16_t port = 0;
};
// "127.0.0.1:6443", "[::1]:6443", ":6443".
Result<Address> parse_address(const std::string& text);

}  // namespace chandler::app
