#include "client/exec_plugin.h"

#include <unistd.h>

#include <fmt/format.h>

#include "base/time_text.h"
#include "client/child_process.h"
#include "client/status_error.h"
#include "json/reader.h"
#include "json/writer.h"

namespace chandler::client {

Result<ExecCredential> parse_exec_credential(std::string_view text, const ExecPlugin& plugin) {
  const auto refuse = [&](std::string_view what) {
    return unauthorized_because(fmt::format("the credential plugin {} of {} {}", plugin.command, plugin.entry, what));
  };
  const auto answer = json::parse(text);
  if (!answer.ok() || !answer->is_object()) return refuse("printed no JSON object");
  if (json::string_at(*answer, "kind") != "ExecCredential")
    return refuse("printed something that is no ExecCredential");
  if (const auto version = json::string_or(*answer, "apiVersion"); version != plugin.api_version) {
    return refuse(fmt::format("answered in version \"{}\", but {} was asked for: correct apiVersion in the kubeconfig",
                              version, plugin.api_version));
  }
  const auto* status = json::find(*answer, "status");
  if (status == nullptr || !status->is_object()) return refuse("gave no status");
  ExecCredential out;
  out.token = json::string_or(*status, "token");
  out.certificate_pem = json::string_or(*status, "clientCertificateData");
  out.key_pem = json::string_or(*status, "clientKeyData");
  if (out.certificate_pem.empty() != out.key_pem.empty()) {
    return refuse("must give clientCertificateData and clientKeyData together");
  }
  if (out.token.empty() && out.certificate_pem.empty()) return refuse("gave neither a token nor a certificate");
  if (const auto expires = json::string_or(*status, "expirationTimestamp"); !expires.empty()) {
    out.expires = parse_rfc3339(expires);
    if (!out.expires) return refuse("gave an expirationTimestamp that is no RFC 3339 time");
  }
  return out;
}

Result<ExecCredential> run_exec_plugin(const ExecPlugin& plugin, std::chrono::milliseconds timeout) {
  const bool terminal = plugin.interactive != ExecPlugin::Interactive::kNever && ::isatty(STDIN_FILENO) == 1;
  if (plugin.interactive == ExecPlugin::Interactive::kAlways && !terminal) {
    return unauthorized_because(fmt::format(
        "the credential plugin {} of {} must ask somebody at a terminal, and there is none: run it in a terminal, or "
        "use another user in the kubeconfig",
        plugin.command, plugin.entry));
  }
  json::Object spec{{"interactive", terminal}};
  if (!plugin.cluster.is_null()) spec["cluster"] = plugin.cluster;
  const json::Value info =
      json::Object{{"kind", "ExecCredential"}, {"apiVersion", plugin.api_version}, {"spec", std::move(spec)}};

  ChildProcess process;
  process.command = plugin.command;
  process.args = plugin.args;
  process.env = plugin.env;
  process.env.emplace_back("KUBERNETES_EXEC_INFO", json::write(info));
  process.terminal = terminal;
  process.timeout = timeout;
  auto ran = run(process);
  if (!ran.ok()) {
    auto error = std::move(ran).error();
    const bool missing = error.reason == Reason::kNotFound;
    error.message = missing ? fmt::format("the credential plugin {} of {} is not installed or not in PATH",
                                          plugin.command, plugin.entry)
                            : fmt::format("the credential plugin of {}: {}", plugin.entry, error.message);
    if (missing && !plugin.install_hint.empty()) error.message += "\n" + plugin.install_hint;
    error.reason = Reason::kUnauthorized;
    return error;
  }
  if (ran->exit_code != 0) {
    return unauthorized_because(fmt::format("the credential plugin {} of {} failed with exit code {}", plugin.command,
                                            plugin.entry, ran->exit_code));
  }
  return parse_exec_credential(ran->text, plugin);
}

}  // namespace chandler::client
