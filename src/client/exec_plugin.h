// Credential plugins of kubeconfigs (client.authentication.k8s.io v1 and v1beta1): a program that prints an
// ExecCredential. It is started without a shell, has a time limit, and what it prints is bounded; what it prints is
// never logged. Its messages to people go where ours go.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "json/value.h"

namespace chandler::client {

struct ExecPlugin {
  enum class Interactive { kNever, kIfAvailable, kAlways };
  std::string api_version;
  std::string command;  // a path, or a name to be found in PATH
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  // added to ours
  std::string install_hint;
  Interactive interactive = Interactive::kIfAvailable;
  json::Value cluster;  // told to the plugin; null: not asked for
  std::string entry;    // for errors: user "x" in file y
};

struct ExecCredential {
  std::string token;
  std::string certificate_pem;
  std::string key_pem;
  std::optional<WallTime> expires;
};

// Blocks until the program has ended, at most for `timeout`; it is killed then.
Result<ExecCredential> run_exec_plugin(const ExecPlugin& plugin,
                                       std::chrono::milliseconds timeout = std::chrono::seconds(60));

// The answer of a plugin; errors name `entry` and say what is missing.
Result<ExecCredential> parse_exec_credential(std::string_view text, const ExecPlugin& plugin);

}  // namespace chandler::client
