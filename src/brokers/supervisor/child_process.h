// Starting programs of the distribution: no shell, no inherited files, a small environment, signals as after a fresh
// start, and an end of the child when we end. Thread-safe.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "brokers/supervisor/account.h"

namespace chandler::brokers {

struct Command {
  std::vector<std::string> argv;   // the program's path first
  std::string directory;           // where it runs
  std::optional<Account> account;  // as whom; nullopt: as we are
  // A directory that the account may not pass through (such as /root), and the one below it that the program needs. The
  // program sees the file system with nothing but the latter in the former, at the same path. "" when all is open.
  std::string closed{};
  std::string needed{};
  int death_signal = SIGTERM;  // what it gets from the kernel when the thread that started it is gone
};

// The first of `paths` that can be executed; "" for none.
std::string find_program(const std::vector<std::string>& paths);

// Both descriptors stay the caller's. The child must be waited for. It ends with the calling thread, so that must be
// one that lives as long as the child shall.
Result<pid_t> spawn(const Command& command, int input, int output);

// Runs a program to its end with `input` as its input; what it says is appended to the file `log`. An exit code other
// than 0 is an error that names program and log. It is killed after `limit`.
Result<void> run_to_end(const Command& command, std::string_view input, const std::string& log,
                        std::chrono::seconds limit);

// Opens a file to append to, for us only. One larger than 8 MiB is first moved aside (".1").
Result<int> open_log(const std::string& path);

}  // namespace chandler::brokers
