// The acceptance test of a UsageKind: what has to be true so that bindings reach the workloads that it stands for. Each
// check is a question to the server; nothing is ever changed, writes are dry runs. A check that cannot be made does not
// count as passed. Belongs to one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "resolve/label_path.h"
#include "svcat/catalog/discovery.h"

namespace chandler::svcat {

enum class Outcome { kPassed, kFailed, kNotTested };
std::string_view outcome_word(Outcome outcome);  // "passed", "failed", "not tested"

struct Check {
  std::string name;
  Outcome outcome = Outcome::kPassed;
  std::string message;
};

struct AcceptanceOptions {
  std::string controller;  // the user that the controllers act as
  std::string ns;          // where samples would be, and named workloads are
  std::string resource;    // name of a workload to try it on; empty: a sample
  json::Value sample;      // a workload to try it on; null: one that is made up
};

class Acceptance {
 public:
  Acceptance(Catalog& catalog, const json::Value& usage_kind, AcceptanceOptions options);

  // An error only when the server cannot be asked at all.
  Result<void> run();

  const std::vector<Check>& checks() const { return checks_; }
  bool passed() const;
  // ClusterRole and ClusterRoleBinding that grant what the controller lacks; empty when it lacks nothing.
  const json::Array& roles() const { return roles_; }

 private:
  void add(std::string_view name, Outcome outcome, std::string message);
  Result<void> find_kind();
  void read_path();
  Result<void> check_controller_rights();
  void ask_the_status(const Error& why);  // when asking about the controller's rights is not allowed
  Result<void> check_own_rights();
  Result<void> check_schema();
  Result<void> check_round_trip();

  Catalog& catalog_;
  const json::Value& usage_kind_;
  const AcceptanceOptions options_;
  std::vector<Check> checks_;
  json::Array roles_;
  std::optional<DiscoveredKind> kind_;
  std::optional<resolve::LabelPath> path_;
  json::Value document_;  // OpenAPI; null: the server does not tell
  bool may_try_ = false;  // the caller may make dry runs
};

}  // namespace chandler::svcat
