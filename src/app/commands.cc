#include "app/commands.h"

#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "apiserver/version.h"
#include "app/crd_export.h"
#include "app/foreground.h"
#include "app/server_process.h"
#include "base/log.h"
#include "base/start_memory.h"

namespace chandler::app {
int serve(const ServeOptions& options) {
  if (auto configured = configure_log(options.log_level, options.log_format); !configured.ok()) {
    return fail_with(configured.error());
  }
  Signals signals;
  raise_file_limit();
  auto process = ServerProcess::start(options);
  if (!process.ok()) return fail_with(process.error());
  // Scripts read this line; what is unusual is said at its end.
  const auto durability = options.durability == "full" ? "" : fmt::format(" durability: {}", options.durability);
  fmt::print("chandler is ready at {} (kubeconfig: {}){}\n", (*process)->url(), (*process)->kubeconfig(), durability);
  std::fflush(stdout);
  log::info("ready",
            {{"address", (*process)->url()}, {"objects", (*process)->objects()}, {"durability", options.durability}});
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

}  // namespace chandler::app
