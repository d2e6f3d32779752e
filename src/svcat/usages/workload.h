// Who uses a binding, as people write it: deployment/web. The first word is a UsageKind, by its name or by the kind of
// workload that it stands for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "svcat/call.h"
#include "svcat/catalog/discovery.h"

namespace chandler::svcat {

struct Workload {
  std::string kind;
  std::string name;

  std::string str() const { return kind + "/" + name; }
};

// `flag` is named in the usage error for what is not KIND/NAME.
Result<Workload> parse_workload(std::string_view flag, const std::string& text);

// By name, else by the kind of workload (Deployment, deployments) where just one UsageKind stands for it.
Result<json::Value> find_usage_kind(Call& call, const std::string& word);

// What the server serves for it; none: nothing.
Result<std::optional<DiscoveredKind>> discover_workload(Catalog& catalog, const json::Value& usage_kind);

Workload workload_of(const json::Value& usage);

}  // namespace chandler::svcat
