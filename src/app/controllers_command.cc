#include "app/controllers_command.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "app/duties.h"
#include "app/family_run.h"
#include "app/foreground.h"
#include "app/process_limits.h"
#include "base/clock.h"
#include "base/ids.h"
#include "base/log.h"
#include "client/kubeconfig.h"
#include "client/remote/remote_api.h"
#include "client/rest.h"
#include "controller/engine_thread.h"
#include "controller/http_call_sender.h"
#include "controller/lease.h"
#include "http/client.h"
#include "json/reader.h"
#include "registry/kind_loader.h"

namespace chandler::app {
namespace {

constexpr std::chrono::seconds kFirstList{60};
constexpr client::KindName kLeases{"coordination.k8s.io", "leases"};

// The API groups that the server has, besides the one without a name.
Result<std::set<std::string, std::less<>>> served_groups(http::Client& http, const client::Connection& connection) {
  client::Rest rest(http, connection, "chandler-controllers");
  CH_TRY_LET(text, rest.get_text("/apis"));
  CH_TRY_LET(list, json::parse(text));
  std::set<std::string, std::less<>> groups;
  if (const auto* entries = json::array_at(list, "groups")) {
    for (const auto& entry : *entries) groups.insert(json::string_or(entry, "name"));
  }
  return groups;
}

// The families that were asked for, as far as the server has their kinds.
Result<std::vector<Family>> families_for(const ControllersOptions& options,
                                         const std::set<std::string, std::less<>>& groups) {
  CH_TRY_LET(chosen, choose_duties(options.controllers, family_duties()));
  CH_TRY_LET(families, all_families(options.families));
  std::erase_if(families, [&](const Family& family) { return !chosen.contains(family.duty); });
  std::erase_if(families, [&](const Family& family) {
    for (const auto group : family.groups) {
      if (groups.contains(group)) continue;
      log::warn("a family of controllers does not run: the server has no kinds of its group",
                {{"controllers", family.duty}, {"group", group}, {"remedy", "chandler crds | kubectl apply -f -"}});
      return true;
    }
    return false;
  });
  if (families.empty()) {
    return bad_request(
        "there is nothing to run: the server has none of the kinds; install them with `chandler crds | kubectl apply "
        "-f -`");
  }
  return families;
}

std::vector<client::KindName> followed_kinds(const std::vector<Family>& families) {
  std::vector<client::KindName> kinds = {kLeases};
  for (const auto& family : families) kinds.insert(kinds.end(), family.kinds.begin(), family.kinds.end());
  return kinds;
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
  client::KubeconfigOptions where;
  where.path = options.kubeconfig;
  where.context = options.context;
  CH_TRY_LET(connection, client::connect(where));
  CH_TRY_LET(embedded, registry::EmbeddedKinds::load());
  metrics::Registry metrics;
  const auto http = http::Client::create({});
  client::RemoteApi api(*http, connection, embedded->kinds());
  CH_TRY_LET(groups, served_groups(*http, connection));
  CH_TRY_LET(families, families_for(options, groups));
  controller::HttpCallSender sender(*http);
  std::vector<std::unique_ptr<FamilyRun>> runs;
  runs.reserve(families.size());
  for (const auto& family : families) {
    runs.push_back(std::make_unique<FamilyRun>(family, api, sender, system_clock(), metrics));
  }

  bool lost = false;
  const auto begin = [&] {
    for (const auto& run : runs) {
      if (auto started = run->start(); !started.ok()) {
        log::error("the controllers cannot start",
                   {{"controllers", run->family().duty}, {"error", started.error().message}});
        step_down();
        return;
      }
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

  api.state().follow(followed_kinds(families));
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
  (void)signals.wait();
  election_thread.stop();
  for (const auto& run : runs) run->stop();
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
  if (auto raised = raise_file_limit(); !raised.ok()) return fail_with(raised.error());
  const auto code = run(options, signals);
  log::flush();
  return code.ok() ? *code : fail_with(code.error());
}

}  // namespace chandler::app
