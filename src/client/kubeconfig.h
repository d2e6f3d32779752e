// Kubeconfigs as kubectl reads them: which server, which proof of identity, which namespace. Reading is done in two
// steps, so that the parser is pure: text to Kubeconfig, Kubeconfig and choices to Connection. Errors name the file,
// the entry and what to do; they never hold a secret.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "client/connection.h"
#include "json/value.h"

namespace chandler::client {

// An entry of a list in the file, and where it stands: relative paths in it start there.
struct KubeconfigEntry {
  std::string name;
  std::string file;
  json::Value value;  // the object under cluster:, user: or context:
};

struct Kubeconfig {
  std::map<std::string, KubeconfigEntry, std::less<>> clusters;
  std::map<std::string, KubeconfigEntry, std::less<>> users;
  std::map<std::string, KubeconfigEntry, std::less<>> contexts;
  std::string current_context;
  std::vector<std::string> files;  // for errors

  // What is here already stays: the first file that names something wins.
  void merge(Kubeconfig other);
};

// `file` is only named, in errors and for relative paths.
Result<Kubeconfig> parse_kubeconfig(std::string_view text, const std::string& file);

struct KubeconfigOptions {
  std::string path;  // --kubeconfig; empty: $KUBECONFIG, ~/.kube/config, the service account of a pod
  // Instead of what the file says.
  std::string context;
  std::string cluster;
  std::string user;
  std::string ns;
  // Seams for tests; empty: those of the process.
  std::function<std::optional<std::string>(const char* name)> env;
  std::string account_directory = "/var/run/secrets/kubernetes.io/serviceaccount";
};

// Finds and merges the files. Nothing found: an empty Kubeconfig without files.
Result<Kubeconfig> load_kubeconfig(const KubeconfigOptions& options);

// The contexts, clusters and users put together. Files that entries point to are read here.
Result<Connection> connection_of(const Kubeconfig& config, const KubeconfigOptions& options,
                                 const Clock& clock = system_clock());

// Both, with the service account of a pod when there is no file.
Result<Connection> connect(const KubeconfigOptions& options, const Clock& clock = system_clock());

}  // namespace chandler::client
