// chandler: wiring of flags to commands, nothing else.
#include <fstream>

#include <CLI/CLI.hpp>

#include "app/broker_command.h"
#include "app/commands.h"
#include "app/controllers_command.h"
#include "app/parameter_check.h"

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
  command.add_option(
      "--feature-gates", options.feature_gates,
      "Features to switch off or on: ServicePlanDefaults, ServiceTypes, SuggestedPlans (Name=false,...)");
  command.add_flag("--allow-local-brokers", options.allow_local_brokers,
                   "Let brokers of a namespace have loopback and link-local addresses");
}

void add_claim_flags(CLI::App& command, chandler::app::ClaimOptions& options) {
  command
      .add_option("--claim-class-namespaces", options.claim_class_namespaces,
                  "Namespaces whose resource classes serve claims of all namespaces (a,b)")
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
  command.add_option(
      "--postgresql-admin-url", urls.postgresql,
      "PostgreSQL server to use, postgresql://USER:PASSWORD@HOST:PORT/postgres or @FILE with it (none: run one)");
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

void add_serve_flags(CLI::App& serve, chandler::app::ServeOptions& options, std::string& config, int64_t& event_ttl,
                     int64_t& history) {
  // CLI11 reads configuration files for the top-level command only; main() reads this one itself.
  serve.add_option("--config", config, "Read flags from this file: one `name = value` per line")
      ->check(CLI::ExistingFile)
      ->configurable(false);
  serve.allow_config_extras(CLI::config_extras_mode::error);
  serve.add_option("--data-dir", options.data_dir, "Where everything is kept")->capture_default_str();
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
  serve.add_option("--io-threads", options.io_threads, "Threads that talk to clients")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  serve.add_option("--worker-threads", options.worker_threads, "Threads that work on requests")
      ->capture_default_str()
      ->check(CLI::Range(1, 256));
  serve.add_option("--event-ttl-seconds", event_ttl, "How long Events are kept")->capture_default_str();
  serve.add_option("--history-seconds", history, "How far back a watch may resume")->capture_default_str();
  serve.add_option("--history-mib", options.history_mib, "How much memory that may cost")->capture_default_str();
  serve.add_flag("--bundled-brokers,!--no-bundled-brokers", options.bundled_brokers,
                 "Run the brokers that come with the server and register them as ClusterServiceBroker chandler");
  add_database_flags(serve, options.database_urls);
  add_family_flags(serve, options.families);
  add_log_flags(serve, options.log_level, options.log_format);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Chandler: a service catalog that speaks the Kubernetes API");
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  chandler serve --data-dir ./data --listen 127.0.0.1:6443\n"
      "  KUBECONFIG=./data/admin.kubeconfig kubectl get namespaces\n"
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

  std::string data_dir = options.data_dir;
  auto* rotate = app.add_subcommand("rotate-key", "Add a new key for encrypting secrets at rest");
  rotate->add_option("--data-dir", data_dir, "Data directory of the server")->capture_default_str();

  auto* version = app.add_subcommand("version", "Print the version");
  try {
    app.parse(argc, argv);
    if (!config.empty()) {
      std::ifstream file(config);
      serve->parse_from_stream(file);
    }
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }

  if (version->parsed()) return chandler::app::print_version();
  if (crds->parsed()) return chandler::app::print_crds(group);
  if (controllers->parsed()) return chandler::app::run_controllers(controllers_options);
  if (broker->parsed()) {
    broker_options.check = chandler::app::check_parameters;
    return chandler::app::run_broker(broker_options);
  }
  if (rotate->parsed()) return chandler::app::rotate_key(data_dir);
  options.event_ttl = std::chrono::seconds(event_ttl);
  options.history = std::chrono::seconds(history);
  return chandler::app::serve(options);
}
