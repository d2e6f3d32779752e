#include "reconcilers/usage/rollout.h"

#include <fmt/format.h>

#include "reconcilers/usage/usage_names.h"

namespace chandler::reconcilers {
namespace {

struct Progress {
  int64_t wanted = 0;
  int64_t updated = 0;
  int64_t available = 0;
};

// The kinds that roll out by themselves and say how far they are.
std::optional<Progress> progress_of(const LabelTarget& target, const client::Object& workload) {
  if (target.group != "apps") return std::nullopt;
  const auto& status = status_of(workload);
  if (!json::int_at(status, "observedGeneration")) return std::nullopt;  // nobody runs it
  const auto replicas = json::int_at(spec_of(workload), "replicas").value_or(1);
  if (target.plural == "deployments" || target.plural == "statefulsets") {
    return Progress{replicas, number_at(status, "updatedReplicas"),
                    json::int_at(status, "availableReplicas").value_or(number_at(status, "readyReplicas"))};
  }
  if (target.plural == "daemonsets") {
    return Progress{number_at(status, "desiredNumberScheduled"), number_at(status, "updatedNumberScheduled"),
                    number_at(status, "numberAvailable")};
  }
  return std::nullopt;
}

}  // namespace

Observation rollout_of(const LabelTarget& target, const client::Object& workload) {
  Observation out{usage::kRolledOut, Truth::kUnknown, "NotTracked", "", false};
  const auto progress = progress_of(target, workload);
  if (!progress) {
    out.message = fmt::format(
        "The {} does not say whether its pods are up to date; pods that start from now on get the "
        "credentials.",
        target.described());
    return out;
  }
  const bool seen = number_at(status_of(workload), "observedGeneration") >= generation_of(workload);
  const bool done = seen && progress->updated >= progress->wanted && progress->available >= progress->wanted;
  out.truth = done ? Truth::kTrue : Truth::kFalse;
  out.reason = done ? "RolledOut" : "RollingOut";
  out.message = done ? fmt::format("All pods of {} are up to date.", target.described())
                     : fmt::format("Pods of {} are being replaced.", target.described());
  return out;
}

}  // namespace chandler::reconcilers
