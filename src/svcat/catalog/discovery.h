// Kinds that are known only by a word in somebody's configuration (the workloads of a UsageKind, claims of a kind that
// a user defined): found by asking the server what it serves. Two requests for one kind, never the whole API.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "svcat/catalog/catalog.h"

namespace chandler::svcat {

struct DiscoveredKind {
  std::string name;         // "Deployment"
  std::string api_version;  // "apps/v1"
  std::string noun;         // "deployment"
  client::Resource resource;
  std::vector<std::string> verbs;  // that the server offers for it
  bool namespaced = true;
  bool exact_version = true;  // false: another version was asked for, but is not served

  Kind kind() const;              // refers to this object, which outlives it
  std::string qualified() const;  // "deployments.apps"
};

// `word` is a kind, plural, singular or short name, in any case of letters; `version` empty: the preferred one, which
// is also taken when the given one does not serve the kind. None: the server has nothing of the sort.
Result<std::optional<DiscoveredKind>> discover_kind(Catalog& catalog, const std::string& group,
                                                    const std::string& version, std::string_view word);

}  // namespace chandler::svcat
