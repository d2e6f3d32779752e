// What every long-running command does: logging as told, signals taken as ordinary code, an address understood.
#pragma once

#include <signal.h>

#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/result.h"

namespace chandler::app {

// "chandler: <message>" on stderr; returns the exit code.
int fail_with(const Error& error);

Result<void> configure_log(const std::string& level, const std::string& format);

// Blocks the signals that end a program in all threads made from here on; wait() returns when one has come.
class Signals {
 public:
  Signals();
  void wait();

 private:
  sigset_t set_;
};

// As many connections as the system allows, not as many as a shell usually does.
void raise_file_limit();

struct Address {
  std::string host;
  uint16_t port = 0;
};
// "127.0.0.1:6443", "[::1]:6443", ":6443".
Result<Address> parse_address(const std::string& text);

}  // namespace chandler::app
