// Kubeconfigs and the answers of credential plugins. Entries that name files lead nowhere: the config is said to stand
// in a directory that does not exist, and no plugin is ever run, since no request is made.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "client/exec_plugin.h"
#include "client/kubeconfig.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace chandler;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string file = "/nonexistent/fuzz/config";

  client::ExecPlugin plugin;
  plugin.api_version = "client.authentication.k8s.io/v1";
  if (const auto credential = client::parse_exec_credential(text, plugin); credential.ok()) {
    CH_CHECK(!credential->token.empty() || !credential->certificate_pem.empty());
    CH_CHECK(credential->certificate_pem.empty() == credential->key_pem.empty());
  }

  auto config = client::parse_kubeconfig(text, file);
  if (!config.ok()) {
    CH_CHECK(config.error().message.find(file) != std::string::npos);
    return 0;
  }
  // Absolute paths may lead to files without an end.
  if (text.find("/dev") != std::string_view::npos || text.find("/proc") != std::string_view::npos) return 0;
  client::KubeconfigOptions options;
  for (const auto& [name, context] : config->contexts) {
    options.context = name;
    const auto connection = client::connection_of(*config, options);
    if (!connection.ok()) continue;
    CH_CHECK(!connection->server.empty() && !connection->server.ends_with('/'));
    CH_CHECK(!connection->ns.empty());
  }
  // The first one wins: merging a config with itself changes nothing but the list of files.
  auto merged = *config;
  merged.merge(*config);
  CH_CHECK(merged.contexts.size() == config->contexts.size() && merged.current_context == config->current_context);
  return 0;
}
