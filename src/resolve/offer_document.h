// Classes and plans as the API has them, read for decisions: the one place that knows how a plan says that it is the
// default, suggested, kept by its broker or gone. Reconcilers and `svcat --dry-run` read through it, so that both
// decide about the same thing. A field that is absent reads as empty. Pure, thread-safe.
#pragma once

#include <string_view>

#include "json/value.h"
#include "resolve/default_plan.h"

namespace chandler::resolve {

inline constexpr std::string_view kDefaultPlanAnnotation = "servicecatalog.kubernetes.io/is-default-plan";
inline constexpr std::string_view kSuggestedPlanAnnotation = "servicecatalog.kubernetes.io/is-suggested-plan";
inline constexpr std::string_view kAdoptAnnotation = "servicecatalog.kubernetes.io/adopt";

// Kept in step with a broker's catalog by relists: has a controller reference into the group of the catalog, or asks to
// be adopted.
bool is_broker_managed(const json::Value& offer);

// All that the plan itself says. What its class adds is up to the caller: class_external_name, and the type of a plan
// that has none.
PlanCandidate plan_candidate(const json::Value& plan, PlanScope scope);

}  // namespace chandler::resolve
