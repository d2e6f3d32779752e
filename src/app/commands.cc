#include "app/commands.h"

#include <chrono>
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "apiserver/version.h"
#include "app/crd_export.h"
#include "app/foreground.h"
#include "app/process_limits.h"
#include "app/server_process.h"
#include "base/exit_code.h"
#include "base/log.h"
#include "base/start_memory.h"
#include "http/server.h"

namespace chandler::app {
namespace {

constexpr std::chrono::seconds kFailedStop{30};

// Whoever waits for an answer gets it. Closing the database would write, and nobody knows what is in it: that is for
// the next start to find out.
[[noreturn]] void end_after_failure(ServerProcess& process) {
  log::error("the server ends; a restart finds out what was committed", {{"exit_code", kExitStoreFailed}});
  end_process_after(kFailedStop);
  process.stop();
  end_process(kExitStoreFailed);
}

}  // namespace

int serve(const ServeOptions& options) {
  if (auto configured = configure_log(options.log_level, options.log_format); !configured.ok()) {
    return fail_with(configured.error());
  }
  Signals signals;
  if (auto raised = raise_file_limit(); !raised.ok()) return fail_with(raised.error());
  auto process = ServerProcess::start(options, [&signals] { signals.report_failure(); });
  if (!process.ok()) {
    const int code = fail_with(process.error());
    return signals.has_failure() ? kExitStoreFailed : code;
  }
  report_limits(http::ServerOptions().max_connections);
  // Scripts read this line; what is unusual is said at its end.
  const auto durability = options.durability == "full" ? "" : fmt::format(" durability: {}", options.durability);
  fmt::print("chandler is ready at {} (kubeconfig: {}){}\n", (*process)->url(), (*process)->kubeconfig(), durability);
  std::fflush(stdout);
  log::info("ready",
            {{"address", (*process)->url()}, {"objects", (*process)->objects()}, {"durability", options.durability}});
  release_start_memory();

  if (signals.wait() == Signals::End::kFailure) end_after_failure(**process);
  (*process)->stop();
  if (signals.has_failure()) end_process(kExitStoreFailed);  // one of the last writes
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
