// From the UsageKind that a usage names to the place where labels go. Kinds are found by discovery.
#pragma once

#include <optional>

#include "controller/view.h"
#include "reconcilers/usage/observations.h"
#include "reconcilers/usage/usage_view.h"

namespace chandler::reconcilers {

// What a UsageKind means at the moment.
struct ResolvedKind {
  Truth truth = Truth::kFalse;
  std::string_view reason;  // KindServed, VersionNotServed, KindNotServed, KindNotNamespaced
  std::string message;
  std::optional<client::ServedKind> served;  // when truth is true
};
ResolvedKind resolve_kind(const json::Value& usage_kind_spec, controller::View& view);

// Whether workloads of the kind can hold labels at the path, as far as a schema says; of type PathValid.
Observation path_state(std::string_view labels_path, const client::ServedKind& served, controller::View& view);

struct FoundTarget {
  Observation resolved;                    // of type UsageKindResolved
  std::optional<UsageSnapshot> snapshot;   // without labels; none when it does not resolve
  std::optional<resolve::LabelPath> path;  // of the snapshot
  Observation path_valid;                  // of the path; unknown when there is none
};
FoundTarget find_target(const UsageView& usage, controller::View& view);

}  // namespace chandler::reconcilers
