#include "app/commands.h"

#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "apiserver/version.h"
#include "app/crd_export.h"
#include "app/server_process.h"
#include "base/file.h"
#include "base/log.h"
#include "storage/keyring.h"

namespace chandler::app {
namespace {

int fail_with(const Error& error) {
  fmt::print(stderr, "chandler: {}\n", error.message);
  return 1;
}

// Signals are taken by sigwait in this thread, so that stopping runs as ordinary code.
sigset_t block_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit shows as an error of the write
  return set;
}

// As many connections as the system allows, not as many as a shell usually does.
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

Result<log::Level> level_of(const std::string& text) {
  if (text == "debug") return log::Level::kDebug;
  if (text == "info") return log::Level::kInfo;
  if (text == "warn") return log::Level::kWarn;
  if (text == "error") return log::Level::kError;
  return bad_request(fmt::format("--log-level: \"{}\" is none of debug, info, warn, error", text));
}

}  // namespace

int serve(const ServeOptions& options) {
  const auto level = level_of(options.log_level);
  if (!level.ok()) return fail_with(level.error());
  log::configure(*level, options.log_format == "json" ? log::Format::kJson : log::Format::kText);
  sigset_t signals = block_signals();
  raise_file_limit();
  auto process = ServerProcess::start(options);
  if (!process.ok()) return fail_with(process.error());
  fmt::print("chandler is ready at {} (kubeconfig: {})\n", (*process)->url(), (*process)->kubeconfig());
  std::fflush(stdout);
  log::info("ready", {{"address", (*process)->url()}, {"objects", (*process)->objects()}});

  int signal = 0;
  sigwait(&signals, &signal);
  log::info("stopping", {{"signal", signal == SIGTERM ? "TERM" : "INT"}});
  (*process)->stop();
  log::info("stopped");
  log::flush();
  return 0;
}

int print_version() {
  fmt::print("chandler {} (Kubernetes API 1.{})\n", apiserver::program_version(), apiserver::kKubernetesMinor);
  return 0;
}

int print_crds(const std::string& group) {
  const auto text = export_crds(group);
  if (!text.ok()) return fail_with(text.error());
  fmt::print("{}", *text);
  return 0;
}

int rotate_key(const std::string& data_dir) {
  const std::string path = data_dir + "/encryption.keys";
  if (!file_exists(path)) {
    return fail_with(bad_request(fmt::format("{} is missing; is {} the data directory of a server?", path, data_dir)));
  }
  auto keyring = storage::Keyring::open(path);
  if (!keyring.ok()) return fail_with(keyring.error());
  if (auto rotated = keyring->rotate(path); !rotated.ok()) return fail_with(rotated.error());
  fmt::print("A new key is in {}. Secrets written after the next start use it; older ones stay readable.\n", path);
  return 0;
}

}  // namespace chandler::app
