// Whether the pods of a workload have been replaced since its template changed, as far as the workload itself says.
// Pure.
#pragma once

#include "reconcilers/usage/observations.h"
#include "reconcilers/usage/usage_view.h"

namespace chandler::reconcilers {

// Of type RolledOut; does not count for Ready.
Observation rollout_of(const LabelTarget& target, const client::Object& workload);

}  // namespace chandler::reconcilers
