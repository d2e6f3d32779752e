// From files to a Kubeconfig.
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "client/kubeconfig.h"
#include "json/yaml.h"

namespace chandler::client {
namespace {

constexpr size_t kMaxBytes = 8 * 1024 * 1024;
constexpr size_t kMaxEntries = 10'000;

using Entries = std::map<std::string, KubeconfigEntry, std::less<>>;

// `list` is clusters, `item` is cluster.
Result<void> read_entries(const json::Value& document, std::string_view list, std::string_view item,
                          const std::string& file, Entries& out) {
  const auto* value = json::find(document, list);
  if (value == nullptr || value->is_null()) return {};
  if (!value->is_array()) return bad_request(fmt::format("{}: {} must be a list", file, list));
  if (value->get_array().size() > kMaxEntries) {
    return bad_request(fmt::format("{}: {} has more than {} entries", file, list, kMaxEntries));
  }
  for (size_t i = 0; i < value->get_array().size(); ++i) {
    const auto& entry = value->get_array()[i];
    const auto name = json::string_at(entry, "name");
    if (!name || name->empty()) return bad_request(fmt::format("{}: {}[{}] has no name", file, list, i));
    const auto* content = json::find(entry, item);
    if (content != nullptr && !content->is_null() && !content->is_object()) {
      return bad_request(fmt::format("{}: {} \"{}\": {} must be a map of settings", file, list, *name, item));
    }
    KubeconfigEntry made;
    made.name = *name;
    made.file = file;
    made.value = content == nullptr || content->is_null() ? json::Value(json::Object()) : *content;
    out.emplace(made.name, std::move(made));  // the first of a name wins within a file too
  }
  return {};
}

std::string env_of(const KubeconfigOptions& options, const char* name) {
  if (options.env) return options.env(name).value_or("");
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

void Kubeconfig::merge(Kubeconfig other) {
  clusters.merge(other.clusters);
  users.merge(other.users);
  contexts.merge(other.contexts);
  if (current_context.empty()) current_context = std::move(other.current_context);
  for (auto& file : other.files) files.push_back(std::move(file));
}

Result<Kubeconfig> parse_kubeconfig(std::string_view text, const std::string& file) {
  if (text.size() > kMaxBytes) return bad_request(fmt::format("{} is too large for a kubeconfig", file));
  auto document = json::parse_yaml(text);
  if (!document.ok()) return bad_request(fmt::format("{} is no valid YAML: {}", file, document.error().message));
  Kubeconfig out;
  out.files.push_back(file);
  if (document->is_null()) return out;
  if (!document->is_object()) return bad_request(fmt::format("{} is no kubeconfig: it must be a map", file));
  const auto kind = json::string_or(*document, "kind");
  const auto version = json::string_or(*document, "apiVersion");
  if ((!kind.empty() && kind != "Config") || (!version.empty() && version != "v1")) {
    return bad_request(fmt::format("{} is no kubeconfig: expected kind Config of apiVersion v1, found {} of {}", file,
                                   quoted(kind), quoted(version)));
  }
  CH_TRY(read_entries(*document, "clusters", "cluster", file, out.clusters));
  CH_TRY(read_entries(*document, "users", "user", file, out.users));
  CH_TRY(read_entries(*document, "contexts", "context", file, out.contexts));
  out.current_context = json::string_or(*document, "current-context");
  return out;
}

Result<Kubeconfig> load_kubeconfig(const KubeconfigOptions& options) {
  if (!options.path.empty()) {
    CH_TRY_LET(text, read_file(options.path));
    return parse_kubeconfig(text, options.path);
  }
  std::vector<std::string> paths;
  if (const auto list = env_of(options, "KUBECONFIG"); !list.empty()) {
    for (const auto path : split(list, ':')) {
      if (!path.empty()) paths.emplace_back(path);
    }
  } else if (const auto home = env_of(options, "HOME"); !home.empty()) {
    paths.push_back(home + "/.kube/config");
  }
  Kubeconfig out;
  for (const auto& path : paths) {
    if (!file_exists(path)) continue;  // as kubectl: a list may name files that are not there yet
    CH_TRY_LET(text, read_file(path));
    CH_TRY_LET(config, parse_kubeconfig(text, path));
    out.merge(std::move(config));
  }
  return out;
}

}  // namespace chandler::client
