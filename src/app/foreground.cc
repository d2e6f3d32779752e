#include "app/foreground.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "base/exit_code.h"
#include "base/log.h"
#include "base/text.h"

namespace chandler::app {

int fail_with(const Error& error) {
  // How the API opens the message of a fault that is no client's; at a terminal there is no such difference.
  constexpr std::string_view kOpening = "Internal error occurred: ";
  std::string_view message = error.message;
  if (message.starts_with(kOpening)) message.remove_prefix(kOpening.size());
  log::flush();  // so that the last line is the one that says why
  fmt::print(stderr, "chandler: {}\n", message);
  return 1;
}

Result<void> configure_log(const std::string& level, const std::string& format) {
  const auto shape = format == "json" ? log::Format::kJson : log::Format::kText;
  if (level == "debug") {
    log::configure(log::Level::kDebug, shape);
  } else if (level == "info") {
    log::configure(log::Level::kInfo, shape);
  } else if (level == "warn") {
    log::configure(log::Level::kWarn, shape);
  } else if (level == "error") {
    log::configure(log::Level::kError, shape);
  } else {
    return bad_request(fmt::format("--log-level: \"{}\" is none of debug, info, warn, error", level));
  }
  return {};
}

Signals::Signals() {
  sigemptyset(&set_);
  sigaddset(&set_, SIGINT);
  sigaddset(&set_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit shows as an error of the write
}

Signals::End Signals::wait() {
  int signal = 0;
  sigwait(&set_, &signal);
  if (has_failure()) return End::kFailure;
  log::info("stopping", {{"signal", signal == SIGTERM ? "TERM" : "INT"}});
  return End::kSignal;
}

void Signals::report_failure() {
  failed_ = true;
  ::kill(::getpid(), SIGTERM);  // blocked everywhere, so that wait() takes it
}

void end_process(int code) {
  log::flush();
  std::fflush(stdout);
  std::_Exit(code);
}

void end_process_after(std::chrono::seconds time) {
  std::signal(SIGALRM, [](int) { ::_exit(kExitStoreFailed); });
  ::alarm(static_cast<unsigned>(time.count()));
}

Result<Address> parse_address(const std::string& text) {
  const size_t colon = text.rfind(':');
  const auto port = colon == std::string::npos ? std::nullopt : parse_uint64(text.substr(colon + 1));
  if (!port || *port > 65535) {
    return bad_request(
        fmt::format("--listen: \"{}\" is no address; write HOST:PORT, for example 127.0.0.1:6443", text));
  }
  std::string host = text.substr(0, colon);
  if (host.starts_with("[") && host.ends_with("]")) host = host.substr(1, host.size() - 2);
  return Address{host.empty() ? "0.0.0.0" : host, static_cast<uint16_t>(*port)};
}

}  // namespace chandler::app
