// Runs a program without a shell and takes what it prints. Blocks the caller, for a bounded time.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace chandler::client {

struct ChildProcess {
  std::string command;  // with a slash: a path; otherwise looked for in PATH
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  // added to, or instead of, ours
  bool terminal = false;                                 // may read from our standard input
  std::chrono::milliseconds timeout{60'000};
  size_t max_output_bytes = 1024 * 1024;
};

struct ChildOutput {
  int exit_code = 0;  // 128 + n: ended by signal n
  std::string text;   // standard output
};

// NotFound: there is no such program. Timeout and too much output end the program and all it started.
Result<ChildOutput> run(const ChildProcess& process);

}  // namespace chandler::client
