// svcat: the real world for src/svcat, nothing else.
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <thread>

#include "svcat/environment.h"

namespace {

volatile std::sig_atomic_t g_interrupted = 0;

void note_interrupt(int) { g_interrupted = 1; }

// Only while we wait for something that goes on without us does Ctrl-C mean more than "stop this program".
bool pause_for(std::chrono::milliseconds duration) {
  static const bool installed = [] {
    struct sigaction action {};
    action.sa_handler = note_interrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND);  // pressed twice it ends the program, also while a server hangs
    return sigaction(SIGINT, &action, nullptr) == 0;
  }();
  timespec rest{.tv_sec = duration.count() / 1000, .tv_nsec = (duration.count() % 1000) * 1'000'000};
  while (installed && g_interrupted == 0 && nanosleep(&rest, &rest) != 0) {
  }
  return g_interrupted == 0;
}

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace chandler;
  const std::filesystem::path called(argc > 0 ? argv[0] : "svcat");
  std::unique_ptr<http::Client> http;
  svcat::Environment environment{
      .out = std::cout,
      .err = std::cerr,
      .in = std::cin,
      .out_is_terminal = isatty(STDOUT_FILENO) == 1,
      .err_is_terminal = isatty(STDERR_FILENO) == 1,
      .variable = variable,
      .clock = system_clock(),
      .pause = pause_for,
      .watch_again =
          [] {
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            return true;
          },
      .connect = [](const client::KubeconfigOptions& options) { return client::connect(options); },
      .http = [&http]() -> http::Client& {
        if (!http) http = http::Client::create({.user_agent = "svcat/" CHANDLER_VERSION});
        return *http;
      },
      .program = called.filename() == "kubectl-svcat" ? "kubectl svcat" : "svcat",
      .program_path = {},
      .version = CHANDLER_VERSION,
  };
  std::error_code fault;
  environment.program_path = std::filesystem::read_symlink("/proc/self/exe", fault).string();
  return svcat::run({argv + 1, argv + argc}, environment);
}
