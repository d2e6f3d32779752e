// chandler: wiring of flags to commands, nothing else.
#include <fstream>

#include <CLI/CLI.hpp>

#include "app/commands.h"

namespace {

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
  serve.add_option("--io-threads", options.io_threads, "Threads that talk to clients")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  serve.add_option("--worker-threads", options.worker_threads, "Threads that work on requests")
      ->capture_default_str()
      ->check(CLI::Range(1, 256));
  serve.add_option("--event-ttl-seconds", event_ttl, "How long Events are kept")->capture_default_str();
  serve.add_option("--history-seconds", history, "How far back a watch may resume")->capture_default_str();
  serve.add_option("--history-mib", options.history_mib, "How much memory that may cost")->capture_default_str();
  serve.add_option("--log-level", options.log_level, "debug, info, warn or error")->capture_default_str();
  serve.add_option("--log-format", options.log_format, "text or json")
      ->capture_default_str()
      ->check(CLI::IsMember({"text", "json"}));
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
  if (rotate->parsed()) return chandler::app::rotate_key(data_dir);
  options.event_ttl = std::chrono::seconds(event_ttl);
  options.history = std::chrono::seconds(history);
  return chandler::app::serve(options);
}
