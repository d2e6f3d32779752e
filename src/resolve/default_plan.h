// Which plan serves a request: the one that was named, the only one of a class, or the default or suggested one of a
// class or of a service type. The decision comes with its rule and a sentence for people, the same in status, events
// and `svcat --dry-run`. Pure, thread-safe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "resolve/object_reference.h"

namespace chandler::resolve {

enum class PlanScope { kCluster, kNamespace };

struct PlanCandidate {
  std::string name{};
  std::string external_name{};
  std::string external_id{};
  std::string class_name{};           // object name of its class
  std::string class_external_name{};  // for messages
  std::string service_type{};         // its own, else that of its class
  PlanScope scope = PlanScope::kCluster;
  std::string namespace_name{};            // of a plan in a namespace
  std::string acknowledged_default_for{};  // status.acknowledgedDefaultFor
  bool is_default = false;                 // marked by an operator
  bool is_suggested = false;               // recommended by its broker
  bool broker_managed = false;
  bool removed = false;  // no longer in the broker's catalog
  bool deleting = false;
};

// What the user gave; empty texts were not given. Class and type are checked against the plan, however it was found.
struct PlanRequest {
  std::string namespace_name{};  // where the request comes from: plans of other namespaces never count
  std::string service_type{};
  std::string class_name{};             // object name of the class that was found for the request
  std::string class_external_name{};    // for messages
  std::string class_service_type{};     // of the class itself: decides between several marked plans of the class
  std::optional<PlanScope> scope = {};  // of the class or of the names that were given
  std::string plan{};
  ReferenceBy plan_by = ReferenceBy::kName;
};

enum class PlanRule { kNamed, kOnlyPlan, kDefaultPlan, kSuggestedPlan };
std::string_view rule_name(PlanRule rule);  // "DefaultPlan", as status.resolution.rule has it

enum class PlanOutcome {
  kChosen,
  kNone,       // nothing fits, or what fits is gone
  kAmbiguous,  // several fit equally well
  kDisagrees,  // the service type contradicts the class or the plan
};

struct PlanDecision {
  PlanOutcome outcome = PlanOutcome::kNone;
  size_t index = 0;                  // of the candidate; for kChosen only
  PlanRule rule = PlanRule::kNamed;  // for kChosen only
  std::vector<size_t> tied;          // candidates, for kAmbiguous only
  std::string message;               // what was decided and why, or why nothing was and what to do
};

// By type: the default plans of the namespace, else those of the cluster, else the suggested plans of the namespace,
// else those of the cluster; the first of these that is not empty decides. By class: its only plan, else its default
// plan, else its suggested plan; several that are marked, of different types, give way to those of the class's own
// type, since a mark is made for a type and the class stands for its own. Candidates that do not fit the request are
// skipped, so a caller may give more than is needed. `known_types` are named when the type has no plan at all.
PlanDecision decide_plan(const PlanRequest& request, std::span<const PlanCandidate> candidates,
                         std::span<const std::string> known_types = {});

// Default plans that have been replaced: an acknowledged default beside exactly one newly marked plan of the same type
// and scope. Their mark is to be removed, and until then they no longer count. Several new marks replace nothing.
std::vector<size_t> superseded_defaults(std::span<const PlanCandidate> candidates);

}  // namespace chandler::resolve
