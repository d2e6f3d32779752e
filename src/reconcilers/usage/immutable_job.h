// Jobs are the one workload whose pod template cannot change once it has begun. Pure.
#pragma once

#include "reconcilers/usage/usage_view.h"

namespace chandler::reconcilers {

// The API would refuse other labels: a Job that is not, or no longer, suspended from the start.
inline bool is_immutable_job(const LabelTarget& target, const client::Object& workload) {
  if (target.group != "batch" || target.plural != "jobs") return false;
  const bool waiting = true_at(spec_of(workload), "suspend") && text_at(status_of(workload), "startTime").empty();
  return !waiting;
}

}  // namespace chandler::reconcilers
