// What class and plan add to a binding: parameters and secret transforms, merged once, before the first request.
#pragma once

#include <optional>
#include <vector>

#include "reconcilers/binding/binding_view.h"
#include "reconcilers/catalog/problem.h"
#include "reconcilers/catalog/settings.h"
#include "reconcilers/catalog/views.h"
#include "resolve/combine_parameters.h"
#include "resolve/merge_parameters.h"

namespace chandler::reconcilers {

struct BindingDefaults {
  json::Value parameters;  // complete, without those from secrets; null: none
  std::optional<resolve::MergedParameters> merge;
  bool changed = false;    // they are not those of the binding alone
  json::Value transforms;  // complete list; null: as the binding has it
  bool any() const { return changed || !transforms.is_null(); }
};

// Nothing is merged when that happened already or the feature is off.
Found<BindingDefaults> defaults_for(const BindingView& binding, const ClassView& service_class, const PlanView& plan,
                                    const std::vector<resolve::SecretParameters>& secrets, const Settings& settings);

// Into status: what was merged and where it came from. The spec follows in a write of its own.
void record_defaults(json::Object& status, const BindingDefaults& defaults);

// A write of what the spec lacks of that which `status` says was merged; the mark it sets tells later runs that the
// merge is done. Nullopt: it lacks nothing.
std::optional<client::Write> complete_spec(const BindingView& binding, const json::Value& status);

}  // namespace chandler::reconcilers
