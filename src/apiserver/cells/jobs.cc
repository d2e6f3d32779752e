// Jobs and CronJobs.
#include <fmt/format.h>

#include "apiserver/cells.h"
#include "apiserver/cells/reading.h"
#include "base/time_text.h"

namespace chandler::apiserver {
namespace {

using namespace cells;

json::Value status(const json::Value& job, WallTime) {
  for (const auto* ended : {"Complete", "Failed"}) {
    if (condition_holds(job, ended)) return ended;
  }
  if (has(job, {"metadata", "deletionTimestamp"})) return "Terminating";
  for (const auto* word : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (condition_holds(job, word)) return word;
  }
  return "Running";
}

json::Value completions(const json::Value& job, WallTime) {
  const auto succeeded = int_at(job, {"status", "succeeded"});
  if (has(job, {"spec", "completions"})) {
    return json::Value(fmt::format("{}/{}", succeeded, int_at(job, {"spec", "completions"})));
  }
  const auto parallelism = int_at(job, {"spec", "parallelism"});
  if (parallelism > 1) return json::Value(fmt::format("{}/1 of {}", succeeded, parallelism));
  return json::Value(fmt::format("{}/1", succeeded));
}

json::Value duration(const json::Value& job, WallTime now) {
  const auto start = text_at(job, {"status", "startTime"});
  if (start.empty()) return "";
  return json::Value(age(start, parse_rfc3339(text_at(job, {"status", "completionTime"})).value_or(now)));
}

json::Value suspend(const json::Value& cron_job, WallTime) {
  const auto* value = json::find_path(cron_job, {"spec", "suspend"});
  if (value == nullptr || !value->is_bool()) return "<unset>";
  return value->get_bool() ? "True" : "False";
}

json::Value active(const json::Value& cron_job, WallTime) {
  return static_cast<int64_t>(array_at(cron_job, {"status", "active"}).size());
}

json::Value last_schedule(const json::Value& cron_job, WallTime now) {
  const auto time = text_at(cron_job, {"status", "lastScheduleTime"});
  return json::Value(time.empty() ? "<none>" : age(time, now));
}

constexpr NamedCell kCells[] = {
    {"job-status", status},       {"job-completions", completions}, {"job-duration", duration},
    {"cronjob-suspend", suspend}, {"cronjob-active", active},       {"cronjob-last-schedule", last_schedule},
};

}  // namespace

std::span<const NamedCell> job_cells() { return kCells; }

}  // namespace chandler::apiserver
