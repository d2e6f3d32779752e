// What the command line touches of the world outside: streams, terminal, variables, time, network. The program gives
// the real ones, tests give theirs. Used by one thread.
#pragma once

#include <chrono>
#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "client/kubeconfig.h"
#include "client/rest.h"

namespace chandler::svcat {

struct Environment {
  std::ostream& out;
  std::ostream& err;
  std::istream& in;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  std::function<std::optional<std::string>(const char* name)> variable;
  const Clock& clock;
  // Waits; false: the user pressed Ctrl-C.
  std::function<bool(std::chrono::milliseconds)> pause;
  // Before a watch that the server has ended begins anew; false: that was enough. Here Ctrl-C ends the program.
  std::function<bool()> watch_again;
  std::function<Result<client::Connection>(const client::KubeconfigOptions&)> connect;
  std::function<http::Client&()> http;  // asked for only when a command needs the server
  std::string program = "svcat";        // as the user calls it, for help: also "kubectl svcat"
  std::string program_path;             // of the running file, for `install plugin`
  std::string version;
};

// 0 ok, 1 error, 2 usage, 3 timed out waiting, 130 interrupted while waiting.
int run(const std::vector<std::string>& words, Environment& environment);

}  // namespace chandler::svcat
