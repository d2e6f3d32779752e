#include "app/commands.h"

#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "apiserver/version.h"
#include "app/crd_export.h"
#include "app/foreground.h"
#include "app/server_process.h"
#include "base/file.h"
#include "base/log.h"
#include "base/start_memory.h"
#include "storage/keyring.h"

namespace chandler::app {
int serve(const ServeOptions& options) {
  if (auto configured = configure_log(options.log_level, options.log_format); !configured.ok()) {
    return fail_with(configured.error());
  }
  Signals signals;
  raise_file_limit();
  auto process = ServerProcess::start(options);
  if (!process.ok()) return fail_with(process.error());
  fmt::print("chandler is ready at {} (kubeconfig: {})\n", (*process)->url(), (*process)->kubeconfig());
  std::fflush(stdout);
  log::info("ready", {{"address", (*process)->url()}, {"objects", (*process)->objects()}});
  release_start_memory();

  signals.wait();
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
