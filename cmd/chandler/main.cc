// chandler: wiring of flags to commands, nothing else.
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "app/broker_command.h"
#include "app/commands.h"
#include "app/controllers_command.h"
#include "app/data_commands.h"
#include "app/parameter_check.h"
#include "base/last_words.h"

namespace {

void add_catalog_flags(CLI::App& command, chandler::app::CatalogOptions& options) {
  command
      .add_option("--osb-api-request-timeout", options.osb_api_request_timeout, "How long a broker may take to answer")
      ->capture_default_str();
  command
      .add_option("--operation-polling-maximum-backoff-duration", options.operation_polling_maximum_backoff_duration,
                  "Longest pause between two questions about an asynchronous operation")
      ->capture_default_str();
  command
      .add_option("--reconciliation-retry-duration", options.reconciliation_retry_duration,
                  "How long a failing operation is retried")
      ->capture_default_str();
  command
      .add_option("--broker-relist-interval", options.broker_relist_interval,
                  "Time between two reads of a broker's catalog, unless the broker says otherwise")
      ->capture_default_str();
  command
      .add_option("--osb-api-preferred-version", options.osb_api_preferred_version,
                  "Version of the API told to brokers")
      ->capture_default_str();
  command
      .add_option("--feature-gates", options.feature_gates,
                  "Features to switch off or on: ServicePlanDefaults, ServiceTypes, SuggestedPlans (Name=false,...)")
      ->join(',');  // CLI11 splits values of a configuration file at commas
  command.add_flag("--allow-local-brokers", options.allow_local_brokers,
                   "Let brokers of a namespace have loopback and link-local addresses");
  command
      .add_option("--deny-broker-networks", options.deny_broker_networks,
                  "Networks that namespaced brokers must not use: CIDR ranges, and private for all private networks "
                  "(private,203.0.113.0/24)")
      ->join(',');
}

void add_claim_flags(CLI::App& command, chandler::app::ClaimOptions& options) {
  command
      .add_option("--claim-class-namespaces", options.claim_class_namespaces,
                  "Namespaces whose resource classes serve claims of all namespaces (a,b)")
      ->join(',')
      ->capture_default_str();
  command
      .add_option("--claim-default-policy", options.claim_default_policy,
                  "What happens when several classes are the default for a claim: Ambiguous (none is taken), Newest or "
                  "Priority")
      ->capture_default_str();
}

void add_volume_flags(CLI::App& command, chandler::app::VolumeOptions& options) {
  command.add_option("--local-volume-pool", options.local_volume_pools,
                     "Where chandler.io/local makes volumes, NAME=DIR or NAME=DIR,zone=ZONE (repeatable; serve without "
                     "any: default=DATA-DIR/volumes)");
  command.add_option("--volume-node", options.volume_node, "Name of this machine as a node (default: its host name)");
  command.add_flag("--bind-volumes,!--no-bind-volumes", options.bind_volumes,
                   "Bind claims to volumes; not where the cluster does that itself (controllers: off)");
}

void add_family_flags(CLI::App& command, chandler::app::FamilyOptions& options) {
  add_catalog_flags(command, options.catalog);
  add_claim_flags(command, options.claims);
  add_volume_flags(command, options.volumes);
}

void add_database_flags(CLI::App& command, chandler::brokers::DatabaseUrls& urls) {
  command.add_option("--mysql-admin-url", urls.mysql,
                     "MariaDB server to use, mysql://USER:PASSWORD@HOST:PORT or @FILE with it (none: run one)");
  command.add_option("--postgresql-admin-url", urls.postgresql,
                     "PostgreSQL server to use, postgresql://USER:PASSWORD@HOST:PORT or @FILE with it (none: run one)");
  command.add_option("--redis-admin-url", urls.redis,
                     "Redis server to use, redis://USER:PASSWORD@HOST:PORT or @FILE with it (none: run one)");
}

void add_log_level(CLI::App& command, std::string& level) {
  command.add_option("--log-level", level, "debug, info, warn or error")->capture_default_str();
}

void add_log_flags(CLI::App& command, std::string& level, std::string& format) {
  add_log_level(command, level);
  command.add_option("--log-format", format, "text or json")
      ->capture_default_str()
      ->check(CLI::IsMember({"text", "json"}));
}

void add_controllers_flags(CLI::App& command, chandler::app::ControllersOptions& options) {
  command.add_option("--kubeconfig", options.kubeconfig, "Which server, and as whom (default: as kubectl finds it)");
  command.add_option("--context", options.context, "Context of the kubeconfig");
  command
      .add_option("--controllers", options.controllers,
                  "Which families of controllers run: * for all whose kinds the server has, or their names; -name "
                  "leaves one out")
      ->capture_default_str();
  command.add_option("--leader-elect", options.leader_elect, "Work only while holding the lease")
      ->capture_default_str();
  command.add_option("--leader-election-namespace", options.leader_election_namespace, "Where the lease is")
      ->capture_default_str();
  add_family_flags(command, options.families);
  add_log_flags(command, options.log_level, options.log_format);
}

void add_broker_flags(CLI::App& command, chandler::app::BrokerOptions& options) {
  command
      .add_option("kind", options.kind,
                  "sqlite, mysql, postgresql, redis (real databases) or scripted (answers as told, for tests)")
      ->required()
      ->check(CLI::IsMember({"sqlite", "mysql", "postgresql", "redis", "scripted"}));
  add_database_flags(command, options.urls);
  command.add_option("--listen", options.listen, "Address to serve at, HOST:PORT")->capture_default_str();
  command.add_option("--data-dir", options.data_dir, "Where the sqlite broker keeps everything")->capture_default_str();
  command.add_option("--username", options.username, "User that the platform gives")->capture_default_str();
  command.add_option("--password-file", options.password_file,
                     "File with the password (none: loopback addresses only)");
  command.add_option("--tls-cert", options.tls_cert, "Certificate chain, PEM");
  command.add_option("--tls-key", options.tls_key, "Private key, PEM");
  command.add_option("--generate-classes", options.generate_classes, "scripted: a catalog of so many services");
  command.add_option("--generate-plans", options.generate_plans, "scripted: with so many plans each");
  add_log_level(command, options.log_level);
}

void add_access_flags(CLI::App& serve, chandler::app::ServeOptions& options) {
  auto& audit = options.audit;
  serve.add_option("--audit-log-path", audit.log_path, "Write an audit log to this file; - is standard output");
  serve.add_option("--audit-policy-file", audit.policy_file,
                   "What is logged: an audit.k8s.io/v1 Policy (none: everything, without bodies)");
  serve.add_option("--audit-log-maxsize", audit.max_size_mib, "MiB after which the audit log begins a new file")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024 * 1024));
  serve.add_option("--audit-log-maxbackup", audit.max_backups, "Old audit logs that are kept (0: all)")
      ->capture_default_str();
  serve.add_option("--audit-log-maxage", audit.max_age_days, "Days for which old audit logs are kept (0: for ever)")
      ->capture_default_str()
      ->check(CLI::Range(0, 36500));
  auto& lanes = options.lanes;
  serve.add_option("--max-writes-inflight", lanes.max_writes, "Writes under way at once, shared out between lanes")
      ->capture_default_str()
      ->check(CLI::Range(10, 10'000));
  serve
      .add_option("--max-heavy-inflight", lanes.max_heavy,
                  "Long lists, tables and collections under way at once (0: twice the worker threads)")
      ->capture_default_str()
      ->check(CLI::Range(0, 1'000));
  serve
      .add_option("--max-queued-per-user", lanes.max_queued_per_user,
                  "Seats that the waiting requests of one user may add up to")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000));
  serve.add_option("--max-queue-seconds", lanes.max_wait_seconds, "How long they wait before they get 429")
      ->capture_default_str()
      ->check(CLI::Range(1, 60));
}

void add_oidc_flags(CLI::App& serve, chandler::app::OidcOptions& oidc) {
  serve.add_option("--oidc-issuer-url", oidc.issuer_url, "Accept ID tokens of this OpenID Connect issuer (https)");
  serve.add_option("--oidc-client-id", oidc.client_ids, "Client for which tokens must be meant (repeatable)");
  serve.add_option("--oidc-username-claim", oidc.username_claim, "Claim with the user's name")->capture_default_str();
  serve.add_option("--oidc-username-prefix", oidc.username_prefix,
                   "Put before it (none given: the issuer and #, except for email; -: nothing)");
  serve.add_option("--oidc-groups-claim", oidc.groups_claim, "Claim with the user's groups");
  serve.add_option("--oidc-groups-prefix", oidc.groups_prefix, "Put before each of them");
  serve.add_option("--oidc-required-claim", oidc.required_claims, "NAME=VALUE that a token must hold (repeatable)");
  serve
      .add_option("--oidc-signing-algs", oidc.signing_algs,
                  "Accepted signatures: RS256, RS384, RS512, ES256, ES384, ES512 (a,b)")
      ->delimiter(',')
      ->capture_default_str();
  serve.add_option("--oidc-ca-file", oidc.ca_file, "Authority of the issuer's certificate (none: those of the system)");
}

void add_serve_flags(CLI::App& serve, chandler::app::ServeOptions& options, std::string& config, int64_t& event_ttl,
                     int64_t& history) {
  // CLI11 reads configuration files for the top-level command only; main() reads this one itself.
  serve.add_option("--config", config, "Read flags from this file: one `name = value` per line")
      ->check(CLI::ExistingFile)
      ->configurable(false);
  serve.allow_config_extras(CLI::config_extras_mode::error);
  serve.add_option("--data-dir", options.data_dir, "Where everything is kept")->capture_default_str();
  serve
      .add_option(
          "--durability", options.durability,
          "What an acknowledged write survives: full (a power cut), normal (a crash of the process; a power cut "
          "may cost the last second), memory (nothing: all is gone when the server stops)")
      ->capture_default_str()
      ->check(CLI::IsMember({"full", "normal", "memory"}));
  serve.add_option("--listen", options.listen, "Address to serve at, HOST:PORT")->capture_default_str();
  serve.add_option("--host", options.hosts, "Further name or address by which clients reach this server (repeatable)");
  serve.add_option("--token-auth-file", options.token_file, "Static tokens: lines of token,user,uid,\"group1,group2\"");
  serve
      .add_option("--controllers", options.controllers,
                  "Which controllers run: * for all, empty for none, names separated by commas, -name leaves one out")
      ->capture_default_str();
  serve.add_option("--without-group", options.without_groups,
                   "Leave the kinds of this API group, and their controllers, to others: they can be installed with "
                   "`chandler crds` (repeatable)");
  serve.add_flag("--http2,!--no-http2", options.http2, "Offer HTTP/2 besides HTTP/1.1")->default_str("true");
  serve.add_option("--io-threads", options.io_threads, "Threads that talk to clients")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  serve.add_option("--worker-threads", options.worker_threads, "Threads that work on requests")
      ->capture_default_str()
      ->check(CLI::Range(1, 256));
  serve.add_option("--event-ttl-seconds", event_ttl, "How long Events are kept")
      ->capture_default_str()
      ->check(CLI::Range(1, 365 * 24 * 3600));
  serve.add_option("--history-seconds", history, "How far back a watch may resume")
      ->capture_default_str()
      ->check(CLI::Range(0, 30 * 24 * 3600));
  serve.add_option("--history-mib", options.history_mib, "How much memory that may cost")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024 * 1024));
  serve
      .add_option(
          "--storage-quota-mib", options.storage_quota_mib,
          "How much memory objects may take; beyond it writes that add bytes are refused (0: half of the memory "
          "of the machine or cgroup)")
      ->capture_default_str()
      ->check(CLI::Range(0, 16 * 1024 * 1024));
  serve.add_flag("--bundled-brokers,!--no-bundled-brokers", options.bundled_brokers,
                 "Run the brokers that come with the server and register them as ClusterServiceBroker chandler");
  add_access_flags(serve, options);
  add_oidc_flags(serve, options.oidc);
  add_database_flags(serve, options.database_urls);
  add_family_flags(serve, options.families);
  add_log_flags(serve, options.log_level, options.log_format);
}

// The commands that look after the data of a server.
class DataCommands {
 public:
  explicit DataCommands(CLI::App& app) {
    add_backup(*(backup_ = app.add_subcommand("backup", "Copy everything a running server holds into one file")));
    add_restore(*(restore_ = app.add_subcommand("restore", "Make a data directory from a backup")));
    add_verify(*(verify_ = app.add_subcommand("verify", "Check every byte of a data directory, or of a backup")));
    add_rotate(*(rotate_ = app.add_subcommand("rotate-key", "Encrypt secrets at rest anew, with a new key")));
  }

  // The exit code of the command that was given, if it was one of these.
  std::optional<int> run() const {
    if (backup_->parsed()) return chandler::app::backup(backup_options_);
    if (restore_->parsed()) return chandler::app::restore(restore_options_);
    if (verify_->parsed()) return chandler::app::verify(verify_options_);
    if (rotate_->parsed()) return chandler::app::rotate_key(rotate_options_);
    return std::nullopt;
  }

 private:
  void add_backup(CLI::App& command) {
    auto& options = backup_options_;
    command.add_option("--kubeconfig", options.kubeconfig, "Which server, and as whom (default: as kubectl finds it)");
    command.add_option("--context", options.context, "Context of the kubeconfig");
    command.add_option("--to", options.to, "File to write")->required();
    command.add_flag("--force", options.force, "Replace the file if it exists");
    command.add_flag("--include-keys", options.include_keys,
                     "Put the server's keys into the file too: it can then be restored without anything else, and "
                     "whoever has it can read every Secret");
    command.footer(
        "The server goes on working. Needs the right to get /chandler/v1/backup (or /chandler/v1/backup-with-keys).\n"
        "Examples:\n"
        "  chandler backup --kubeconfig data/admin.kubeconfig --to chandler-$(date +%F).backup\n"
        "  chandler verify --backup chandler-2026-11-15.backup");
  }

  void add_restore(CLI::App& command) {
    auto& options = restore_options_;
    command.add_option("--data-dir", options.data_dir, "Data directory to make")->capture_default_str();
    command.add_option("--from", options.from, "The backup")->required()->check(CLI::ExistingFile);
    command
        .add_option("--keys", options.keys,
                    "encryption.keys of the server that the backup is of (default: those in the backup, else those in "
                    "the data directory)")
        ->check(CLI::ExistingFile);
    command.add_flag("--force", options.force,
                     "Also into a data directory that is in use; what is there is kept in a folder of its own");
    command.footer(
        "The server must not run. Nothing is touched before the whole backup has been checked.\n"
        "Examples:\n"
        "  chandler restore --data-dir ./data --from chandler.backup --keys encryption.keys\n"
        "  sudo -u chandler chandler restore --data-dir /var/lib/chandler --from chandler.backup --force");
  }

  void add_verify(CLI::App& command) {
    auto& options = verify_options_;
    command.add_option("--data-dir", options.data_dir, "Data directory to check; its server must not run")
        ->capture_default_str();
    command.add_option("--backup", options.backup, "Check this backup instead")->check(CLI::ExistingFile);
    command.add_option("--salvage", options.salvage,
                       "Make a new data directory here with everything that can still be read, and list what is lost");
    command.add_option("--max-faults", options.max_faults, "Faults that are described; all are counted")
        ->capture_default_str()
        ->check(CLI::Range(1, 100'000));
    command.footer(
        "Exit code 0: sound; 1: not, or it could not be checked.\n"
        "Examples:\n"
        "  chandler verify --data-dir ./data\n"
        "  chandler verify --data-dir ./data --salvage ./data-saved\n"
        "  chandler verify --backup chandler.backup");
  }

  void add_rotate(CLI::App& command) {
    auto& options = rotate_options_;
    command.add_option("--data-dir", options.data_dir, "Data directory of the server")->capture_default_str();
    command.add_flag("--only-add", options.only_add,
                     "Only add the key, which also works while the server runs; it is used from the next start on");
    command.add_flag("--keep-old-keys", options.keep_old_keys, "Leave older keys in the key file");
    command.footer(
        "The server must not run. May be interrupted at any time; run it again to finish.\n"
        "Example:\n"
        "  systemctl stop chandler && sudo -u chandler chandler rotate-key --data-dir /var/lib/chandler");
  }

  chandler::app::BackupOptions backup_options_;
  chandler::app::RestoreCommandOptions restore_options_;
  chandler::app::VerifyCommandOptions verify_options_;
  chandler::app::RotateOptions rotate_options_;
  CLI::App* backup_ = nullptr;
  CLI::App* restore_ = nullptr;
  CLI::App* verify_ = nullptr;
  CLI::App* rotate_ = nullptr;
};

// The command line as CLI11 wants it, last word first. It takes `--name=` for a flag that lacks its value; to us the
// value is empty, as in `--controllers=`.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words;
  words.reserve(static_cast<size_t>(argc) + 1);
  for (int i = argc - 1; i > 0; --i) {
    std::string word = argv[i];
    if (word.starts_with("--") && word.find('=') == word.size() - 1) {
      words.emplace_back();
      word.pop_back();
    }
    words.push_back(std::move(word));
  }
  return words;
}

// What CLI11 says about a configuration file names neither the file nor what to do.
int refuse_config(const std::string& path, const CLI::ParseError& error) {
  std::string_view what = error.what();
  constexpr std::string_view kUnknown = "INI was not able to parse ";
  std::string told(what);
  if (what.starts_with(kUnknown)) {
    told = fmt::format(
        "there is no flag \"{}\"; a line is `name = value` with the name of a flag of `chandler serve --help`",
        what.substr(kUnknown.size()));
  }
  fmt::print(stderr, "chandler: the configuration file {}: {}\n", path, told);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  chandler::install_last_words();
  CLI::App app("Chandler: a service catalog that speaks the Kubernetes API", "chandler");
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  chandler serve --data-dir ./data --listen 127.0.0.1:6443\n"
      "  KUBECONFIG=./data/admin.kubeconfig kubectl get namespaces\n"
      "  chandler backup --kubeconfig ./data/admin.kubeconfig --to chandler.backup\n"
      "  chandler crds --group servicecatalog.k8s.io | kubectl apply -f -");

  chandler::app::ServeOptions options;
  int64_t event_ttl = options.event_ttl.count();
  int64_t history = options.history.count();
  auto* serve = app.add_subcommand("serve", "Run the server");
  std::string config;
  add_serve_flags(*serve, options, config, event_ttl, history);

  chandler::app::ControllersOptions controllers_options;
  controllers_options.families.volumes.bind_volumes = false;
  auto* controllers =
      app.add_subcommand("controllers", "Run the controllers alone, against any Kubernetes API that has the kinds");
  add_controllers_flags(*controllers, controllers_options);

  chandler::app::BrokerOptions broker_options;
  auto* broker = app.add_subcommand("broker", "Run a bundled broker as a program of its own");
  add_broker_flags(*broker, broker_options);

  std::string group;
  auto* crds = app.add_subcommand("crds", "Print the CustomResourceDefinitions that a real cluster needs");
  crds->add_option("--group", group, "Only this API group");

  DataCommands data(app);

  auto* version = app.add_subcommand("version", "Print the version");
  try {
    app.parse(words_of(argc, argv));
  } catch (const CLI::RequiredError& error) {
    // What stands in the place of the command is none, or CLI11 would not miss it.
    if (argc < 2 || argv[1][0] == '-' || !app.get_subcommands().empty()) return app.exit(error);
    fmt::print(stderr, "chandler: there is no command \"{}\"; `chandler --help` lists them\n", argv[1]);
    return 1;
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  if (!config.empty()) {
    std::ifstream file(config);
    try {
      serve->parse_from_stream(file);
    } catch (const CLI::ParseError& error) {
      return refuse_config(config, error);
    }
  }

  if (version->parsed()) return chandler::app::print_version();
  if (crds->parsed()) return chandler::app::print_crds(group);
  if (controllers->parsed()) return chandler::app::run_controllers(controllers_options);
  if (broker->parsed()) {
    broker_options.check = chandler::app::check_parameters;
    return chandler::app::run_broker(broker_options);
  }
  if (const auto code = data.run()) return *code;
  options.event_ttl = std::chrono::seconds(event_ttl);
  options.history = std::chrono::seconds(history);
  return chandler::app::serve(options);
}
