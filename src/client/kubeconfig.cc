// From a Kubeconfig and choices to a Connection.
#include "client/kubeconfig.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"

namespace chandler::client {
namespace {

using Entries = std::map<std::string, KubeconfigEntry, std::less<>>;

std::string in_file(const KubeconfigEntry& entry, std::string_view list) {
  return fmt::format("{} \"{}\" in {}", list, entry.name, entry.file);
}

Error fault(const KubeconfigEntry& entry, std::string_view list, std::string_view what) {
  return bad_request(fmt::format("{}: {}", in_file(entry, list), what));
}

// The entry of that name, or an error that says who asks for it and what there is.
Result<const KubeconfigEntry*> find_entry(const Entries& entries, const std::string& name, std::string_view list,
                                          const std::string& asked_by, const Kubeconfig& config) {
  const auto it = entries.find(name);
  if (it != entries.end()) return &it->second;
  std::vector<std::string_view> known;
  for (const auto& [key, entry] : entries) known.push_back(key);
  const auto near = nearest(name, known);
  std::string there;
  for (size_t i = 0; i < std::min<size_t>(known.size(), 10); ++i) there += (i == 0 ? "" : ", ") + std::string(known[i]);
  return bad_request(fmt::format("{} asks for the {} \"{}\", which is not in {}{}{}", asked_by, list, name,
                                 join(config.files, ", "), near.empty() ? "" : fmt::format("; did you mean {}?", near),
                                 there.empty() ? "" : fmt::format(" (there are: {})", there)));
}

std::string beside(const KubeconfigEntry& entry, const std::string& path) {
  const std::filesystem::path given(path);
  if (given.is_absolute()) return path;
  return (std::filesystem::path(entry.file).parent_path() / given).string();
}

// `<key>-data` in base64, else the file that `<key>` names; "" when neither is there.
Result<std::string> pem_of(const KubeconfigEntry& entry, std::string_view list, const std::string& key) {
  if (const auto data = json::string_or(entry.value, key + "-data"); !data.empty()) {
    auto decoded = base64_decode(trim(data));
    if (!decoded) return fault(entry, list, key + "-data is no valid base64; encode the PEM file with base64 -w0");
    return std::move(*decoded);
  }
  const auto path = json::string_or(entry.value, key);
  if (path.empty()) return std::string();
  auto text = read_file(beside(entry, path));
  if (!text.ok()) return fault(entry, list, fmt::format("{}: {}", key, text.error().message));
  return text;
}

Result<std::string> server_of(const KubeconfigEntry& cluster) {
  auto server = json::string_or(cluster.value, "server");
  if (server.empty())
    return fault(cluster, "cluster", "has no server; set it to the address of the API (https://HOST:PORT)");
  const auto lower = to_lower(server);
  const bool scheme = lower.starts_with("https://") || lower.starts_with("http://");
  const auto bad = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '?' || c == '#' || c == 0x7f; };
  if (!scheme || std::any_of(server.begin(), server.end(), bad) || server.find('@') != std::string::npos) {
    return fault(cluster, "cluster", "server is no address like https://HOST:PORT (no user, query or fragment)");
  }
  while (server.ends_with('/')) server.pop_back();
  return server;
}

Result<http::ClientTls> tls_of(const KubeconfigEntry& cluster) {
  if (!json::string_or(cluster.value, "proxy-url").empty()) {
    return fault(cluster, "cluster", "proxy-url is not supported; remove it and set HTTPS_PROXY, or connect directly");
  }
  http::ClientTls tls;
  CH_TRY_LET(ca, pem_of(cluster, "cluster", "certificate-authority"));
  tls.ca_pem = std::move(ca);
  tls.insecure = json::bool_at(cluster.value, "insecure-skip-tls-verify").value_or(false);
  tls.server_name = json::string_or(cluster.value, "tls-server-name");
  if (tls.insecure && !tls.ca_pem.empty()) {
    return fault(cluster, "cluster",
                 "has both a certificate-authority and insecure-skip-tls-verify; remove one of the two");
  }
  return tls;
}

// What a plugin is told about the cluster, when it asks.
json::Value cluster_info(const KubeconfigEntry& cluster, const std::string& server, const http::ClientTls& tls) {
  json::Object out{{"server", server}};
  if (!tls.ca_pem.empty()) out["certificate-authority-data"] = base64_encode(tls.ca_pem);
  if (!tls.server_name.empty()) out["tls-server-name"] = tls.server_name;
  if (tls.insecure) out["insecure-skip-tls-verify"] = true;
  out["config"] = nullptr;
  if (const auto* extensions = json::array_at(cluster.value, "extensions")) {
    for (const auto& extension : *extensions) {
      if (json::string_at(extension, "name") != "client.authentication.k8s.io/exec") continue;
      if (const auto* value = json::find(extension, "extension")) out["config"] = *value;
    }
  }
  return out;
}

Result<ExecPlugin> exec_of(const KubeconfigEntry& user, const json::Value& exec, json::Value cluster) {
  ExecPlugin plugin;
  plugin.entry = in_file(user, "user");
  plugin.api_version = json::string_or(exec, "apiVersion");
  const bool stable = plugin.api_version == "client.authentication.k8s.io/v1";
  if (!stable && plugin.api_version != "client.authentication.k8s.io/v1beta1") {
    return fault(user, "user", "exec.apiVersion must be client.authentication.k8s.io/v1 or v1beta1");
  }
  plugin.command = json::string_or(exec, "command");
  if (plugin.command.empty()) return fault(user, "user", "exec.command is missing");
  if (plugin.command.find('/') != std::string::npos) plugin.command = beside(user, plugin.command);
  if (const auto* args = json::array_at(exec, "args")) {
    for (const auto& arg : *args) {
      if (!arg.is_string()) return fault(user, "user", "exec.args must be strings; put numbers in quotes");
      plugin.args.emplace_back(json::view(arg.get_string()));
    }
  }
  if (const auto* env = json::array_at(exec, "env")) {
    for (const auto& variable : *env) {
      auto name = json::string_or(variable, "name");
      if (name.empty()) return fault(user, "user", "exec.env has an entry without a name");
      plugin.env.emplace_back(std::move(name), json::string_or(variable, "value"));
    }
  }
  plugin.install_hint = json::string_or(exec, "installHint");
  if (json::bool_at(exec, "provideClusterInfo").value_or(false)) plugin.cluster = std::move(cluster);
  const auto mode = json::string_or(exec, "interactiveMode", stable ? "" : "IfAvailable");
  if (mode == "Never") {
    plugin.interactive = ExecPlugin::Interactive::kNever;
  } else if (mode == "Always") {
    plugin.interactive = ExecPlugin::Interactive::kAlways;
  } else if (mode != "IfAvailable") {
    return fault(user, "user", "exec.interactiveMode must be Never, IfAvailable or Always");
  }
  return plugin;
}

Result<CredentialSource> credentials_of(const KubeconfigEntry& user, json::Value cluster) {
  CredentialSource source;
  if (json::find(user.value, "auth-provider") != nullptr) {
    return fault(user, "user", "auth-provider is no longer supported by anybody; use exec with a credential plugin");
  }
  source.token = json::string_or(user.value, "token");
  if (const auto path = json::string_or(user.value, "tokenFile"); !path.empty()) source.token_file = beside(user, path);
  source.username = json::string_or(user.value, "username");
  source.password = json::string_or(user.value, "password");
  CH_TRY_LET(certificate, pem_of(user, "user", "client-certificate"));
  CH_TRY_LET(key, pem_of(user, "user", "client-key"));
  if (certificate.empty() != key.empty()) {
    return fault(user, "user",
                 certificate.empty() ? "has a client-key but no client-certificate; add it"
                                     : "has a client-certificate but no client-key; add it");
  }
  source.certificate_pem = std::move(certificate);
  source.key_pem = std::move(key);
  if (const auto* exec = json::find(user.value, "exec"); exec != nullptr && exec->is_object()) {
    if (!source.token.empty() || !source.token_file.empty()) {
      return fault(user, "user", "has both a token and exec; remove one of the two");
    }
    CH_TRY_LET(plugin, exec_of(user, *exec, std::move(cluster)));
    source.exec = std::move(plugin);
  }
  const auto safe = [](std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; });
  };
  if (const auto as = json::string_or(user.value, "as"); !as.empty()) {
    if (!safe(as)) return fault(user, "user", "as holds control characters");
    source.impersonation.add("Impersonate-User", as);
    if (const auto* groups = json::array_at(user.value, "as-groups")) {
      for (const auto& group : *groups) {
        if (!group.is_string() || !safe(json::view(group.get_string()))) {
          return fault(user, "user", "as-groups must be plain strings");
        }
        source.impersonation.add("Impersonate-Group", json::view(group.get_string()));
      }
    }
  }
  return source;
}

Error nothing_found() {
  return bad_request(
      "no kubeconfig was found: pass --kubeconfig FILE, set KUBECONFIG, or put one at ~/.kube/config (a Chandler "
      "server writes admin.kubeconfig into its data directory)");
}

// What every pod with a service account finds.
Result<std::optional<Connection>> account_of_pod(const KubeconfigOptions& options, const Clock& clock) {
  const auto env = [&](const char* name) -> std::string {
    if (options.env) return options.env(name).value_or("");
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  const auto host = env("KUBERNETES_SERVICE_HOST");
  const auto port = env("KUBERNETES_SERVICE_PORT");
  const auto& directory = options.account_directory;
  if (host.empty() || port.empty() || !file_exists(directory + "/token")) return std::optional<Connection>();
  Connection out;
  out.server = fmt::format("https://{}:{}", host.find(':') == std::string::npos ? host : "[" + host + "]", port);
  http::ClientTls tls;
  CH_TRY_LET(ca, read_file(directory + "/ca.crt"));
  tls.ca_pem = std::move(ca);
  CredentialSource source;
  source.token_file = directory + "/token";
  out.credentials = std::make_shared<Credentials>(std::move(source), std::move(tls), clock);
  const auto ns = read_file(directory + "/namespace");
  out.ns = !options.ns.empty() ? options.ns : ns.ok() && !trim(*ns).empty() ? std::string(trim(*ns)) : "default";
  return std::optional(std::move(out));
}

}  // namespace

Result<Connection> connection_of(const Kubeconfig& config, const KubeconfigOptions& options, const Clock& clock) {
  if (config.files.empty()) return nothing_found();
  Connection out;
  out.context = options.context.empty() ? config.current_context : options.context;
  std::string cluster_name = options.cluster;
  std::string user_name = options.user;
  std::string asked_by = "the command line";
  if (!out.context.empty()) {
    CH_TRY_LET(context, find_entry(config.contexts, out.context, "context",
                                   options.context.empty() ? "current-context" : asked_by, config));
    if (cluster_name.empty()) cluster_name = json::string_or(context->value, "cluster");
    if (user_name.empty()) user_name = json::string_or(context->value, "user");
    out.ns = json::string_or(context->value, "namespace");
    asked_by = in_file(*context, "context");
  } else if (cluster_name.empty()) {
    return bad_request(
        fmt::format("no context is chosen: set current-context in {}, or pass --context", join(config.files, ", ")));
  }
  if (cluster_name.empty()) return bad_request(fmt::format("{} names no cluster", asked_by));
  CH_TRY_LET(cluster, find_entry(config.clusters, cluster_name, "cluster", asked_by, config));
  CH_TRY_LET(server, server_of(*cluster));
  CH_TRY_LET(tls, tls_of(*cluster));
  CredentialSource source;
  if (!user_name.empty()) {
    CH_TRY_LET(user, find_entry(config.users, user_name, "user", asked_by, config));
    CH_TRY_LET(found, credentials_of(*user, cluster_info(*cluster, server, tls)));
    source = std::move(found);
  }
  out.server = std::move(server);
  out.user = std::move(user_name);
  if (!options.ns.empty()) out.ns = options.ns;
  if (out.ns.empty()) out.ns = "default";
  out.credentials = std::make_shared<Credentials>(std::move(source), std::move(tls), clock);
  return out;
}

Result<Connection> connect(const KubeconfigOptions& options, const Clock& clock) {
  CH_TRY_LET(config, load_kubeconfig(options));
  if (config.files.empty()) {
    CH_TRY_LET(account, account_of_pod(options, clock));
    if (account) return std::move(*account);
  }
  return connection_of(config, options, clock);
}

}  // namespace chandler::client
