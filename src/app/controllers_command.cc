#include "app/controllers_command.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "app/catalog_controllers.h"
#include "app/foreground.h"
#include "base/clock.h"
#include "base/ids.h"
#include "base/log.h"
#include "client/kubeconfig.h"
#include "client/remote/remote_api.h"
#include "controller/engine_thread.h"
#include "controller/lease.h"
#include "http/client.h"
#include "reconcilers/catalog/kinds.h"
#include "registry/kind_loader.h"

namespace chandler::app {
namespace {

constexpr std::chrono::seconds kFirstList{60};
constexpr client::KindName kLeases{"coordination.k8s.io", "leases"};

std::vector<client::KindName> followed_kinds() {
  using namespace reconcilers;
  return {kClusterBrokers, kClusterClasses, kClusterPlans, kBrokers,    kClasses,           kPlans,
          kInstances,      kBindings,       kSecrets,      kNamespaces, {"", "configmaps"}, kLeases};
}

std::string identity() {
  char host[256] = "unknown";
  (void)::gethostname(host, sizeof(host) - 1);
  return fmt::format("{}_{}", host, new_uuid());
}

// Ends the program from another thread: the lease is gone, somebody else may be working already.
void step_down() {
  log::error("the lease was lost; ending, so that only one process works");
  ::kill(::getpid(), SIGTERM);
}

Result<int> run(const ControllersOptions& options, Signals& signals) {
  CH_TRY_LET(settings, settings_of(options.catalog));
  client::KubeconfigOptions where;
  where.path = options.kubeconfig;
  where.context = options.context;
  CH_TRY_LET(connection, client::connect(where));
  CH_TRY_LET(embedded, registry::EmbeddedKinds::load());
  metrics::Registry metrics;
  const auto http = http::Client::create({});
  client::RemoteApi api(*http, connection, embedded->kinds());
  CatalogControllers controllers(api, settings, system_clock(), metrics);

  bool lost = false;
  const auto begin = [&] {
    if (auto started = controllers.start(); !started.ok()) {
      log::error("the controllers cannot start", {{"error", started.error().message}});
      step_down();
      return;
    }
    fmt::print("chandler controllers are working for {}\n", connection.server);
    std::fflush(stdout);
  };
  controller::LeaseOptions lease;
  lease.ns = options.leader_election_namespace;
  lease.identity = identity();
  controller::LeaderElection election(api, system_clock(), lease, {begin, [&] {
                                                                     lost = true;
                                                                     step_down();
                                                                   }});
  controller::EngineThread election_thread(election, system_clock(), "election");

  api.state().follow(followed_kinds());
  if (!api.state().wait_until_synced(kFirstList)) {
    return unavailable(
        fmt::format("{} did not list all kinds within {} s; are they installed (chandler crds | kubectl "
                    "apply -f -) and may this user list them?",
                    connection.server, kFirstList.count()));
  }
  if (options.leader_elect) {
    election_thread.start();
  } else {
    begin();
  }
  signals.wait();
  election_thread.stop();
  controllers.stop();
  if (options.leader_elect && !lost) election.release();
  api.stop();
  http->stop();
  return lost ? 1 : 0;
}

}  // namespace

int run_controllers(const ControllersOptions& options) {
  if (auto configured = configure_log(options.log_level, options.log_format); !configured.ok()) {
    return fail_with(configured.error());
  }
  Signals signals;
  raise_file_limit();
  const auto code = run(options, signals);
  log::flush();
  return code.ok() ? *code : fail_with(code.error());
}

}  // namespace chandler::app
