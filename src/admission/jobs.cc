#include <array>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "admission/cron_schedule.h"
#include "admission/fields.h"
#include "admission/kind_rules.h"
#include "admission/pod_spec.h"
#include "admission/workload_selector.h"

namespace chandler::admission {
namespace {

constexpr int64_t kBackoffLimit = 6;
constexpr size_t kMaxCronJobName = 52;  // eleven characters are added for its Jobs
constexpr std::string_view kUidLabel = "batch.kubernetes.io/controller-uid";
constexpr std::string_view kNameLabel = "batch.kubernetes.io/job-name";
constexpr std::string_view kOldUidLabel = "controller-uid";
constexpr std::string_view kOldNameLabel = "job-name";

// Unless the user chooses another way, a Job knows its pods by its own uid.
void generate_selector(json::Value& job) {
  const auto name = name_of(job);
  const auto uid = json::string_or(member(job, "metadata"), "uid");
  auto& spec = object_in(job, "spec");
  if (spec["manualSelector"] == json::Value(true)) return;
  auto& labels = object_in(object_in(object_in(spec, "template"), "metadata"), "labels");
  set_default(labels, kUidLabel, text(uid));
  set_default(labels, kNameLabel, text(name));
  set_default(labels, kOldUidLabel, text(uid));
  set_default(labels, kOldNameLabel, text(name));
  set_default(object_in(object_in(spec, "selector"), "matchLabels"), kUidLabel, text(uid));
}

void check_job_template(const json::Value& job_spec, const meta::Path& path, meta::FieldErrors& errors) {
  const auto& pod_template = member(job_spec, "template");
  check_pod_template(pod_template, path.member("template"), errors);
  if (json::string_or(member(pod_template, "spec"), "restartPolicy") == "Always") {
    errors.required(path.member("template").member("spec").member("restartPolicy"),
                    "the pods of a Job end: OnFailure or Never");
  }
}

// What says where the pods of a Job run may change as long as none has been started.
json::Value without_scheduling(json::Value pod_template) {
  if (!pod_template.is_object()) return pod_template;
  auto& metadata = object_in(pod_template, "metadata");
  metadata.erase("labels");
  metadata.erase("annotations");
  auto& spec = object_in(pod_template, "spec");
  for (const std::string_view field : {"affinity", "nodeSelector", "tolerations", "schedulingGates"}) spec.erase(field);
  return pod_template;
}

void check_job_update(const json::Value& job, const json::Value& old, meta::FieldErrors& errors) {
  const auto& spec = member(job, "spec");
  const auto& old_spec = member(old, "spec");
  const meta::Path path("spec");
  const bool waiting =
      json::bool_at(old_spec, "suspend").value_or(false) && !present(member(old, "status"), "startTime");
  const auto& now = member(spec, "template");
  const auto& before = member(old_spec, "template");
  const bool changed =
      waiting ? !json::equal(without_scheduling(now), without_scheduling(before)) : !json::equal(now, before);
  if (changed) errors.invalid(path.member("template"), now, "field is immutable");
  // The number of an Indexed Job may follow its parallelism.
  const bool elastic = json::string_or(spec, "completionMode") == "Indexed" &&
                       json::equal(member(spec, "completions"), member(spec, "parallelism"));
  if (!same(spec, old_spec, "completions") && !elastic) {
    errors.invalid(path.member("completions"), member(spec, "completions"), "field is immutable");
  }
}

}  // namespace

void default_job(Context& context) {
  auto& job = *context.object;
  auto& spec = object_in(job, "spec");
  default_pod_template(spec);
  const auto& view = member(job, "spec");
  if (!present(view, "completions") && !present(view, "parallelism")) spec["completions"] = 1;
  set_default(spec, "parallelism", 1);
  const bool per_index = present(view, "backoffLimitPerIndex");
  set_default(spec, "backoffLimit", per_index ? std::numeric_limits<int32_t>::max() : kBackoffLimit);
  set_default(spec, "completionMode", "NonIndexed");
  set_default(spec, "suspend", false);
  set_default(spec, "manualSelector", false);
  set_default(spec, "podReplacementPolicy", present(view, "podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
  if (context.operation == registry::Operation::kCreate) generate_selector(job);
  // A Job without labels is found by those of its pods.
  if (!filled(member(job, "metadata"), "labels")) {
    const json::Value labels = member(member(member(view, "template"), "metadata"), "labels");
    if (filled(&labels)) object_in(job, "metadata")["labels"] = labels;
  }
}

void check_job(const Context& context, meta::FieldErrors& errors) {
  const auto& spec = member(*context.object, "spec");
  const meta::Path path("spec");
  if (present(spec, "selector")) {
    check_workload_selector(spec, path, errors);
  } else {
    errors.required(path.member("selector"), "with manualSelector the selector has to be given");
  }
  check_job_template(spec, path, errors);
  if (json::string_or(spec, "completionMode") == "Indexed" && !present(spec, "completions")) {
    errors.required(path.member("completions"), "an Indexed Job has a number of completions");
  }
  if (context.old != nullptr && context.subresource.empty()) check_job_update(*context.object, *context.old, errors);
}

void default_cron_job(Context& context) {
  auto& job = object_in(object_in(*context.object, "spec"), "jobTemplate");
  default_pod_template(object_in(job, "spec"));
}

void check_cron_job(const Context& context, meta::FieldErrors& errors) {
  const auto& spec = member(*context.object, "spec");
  const meta::Path path("spec");
  const auto name = name_of(*context.object);
  if (context.old == nullptr && name.size() > kMaxCronJobName) {
    errors.invalid(meta::Path("metadata.name"), name,
                   fmt::format("must be no more than {} characters", kMaxCronJobName));
  }
  if (const auto schedule = json::string_at(spec, "schedule")) {
    if (schedule->empty()) {
      errors.required(path.member("schedule"));
    } else if (auto fault = check_cron_schedule(*schedule); !fault.empty()) {
      errors.invalid(path.member("schedule"), *schedule, fault);
    }
  }
  if (const auto zone = json::string_at(spec, "timeZone"); zone && (zone->empty() || *zone == "Local")) {
    errors.invalid(path.member("timeZone"), *zone, "must be the name of a time zone, such as Etc/UTC");
  }
  const auto job_path = path.member("jobTemplate").member("spec");
  const auto& job = member(member(spec, "jobTemplate"), "spec");
  check_job_template(job, job_path, errors);
  if (present(job, "selector")) {
    errors.invalid(job_path.member("selector"), member(job, "selector"), "is generated for each Job");
  }
  if (json::bool_at(job, "manualSelector").value_or(false)) {
    errors.not_supported(job_path.member("manualSelector"), member(job, "manualSelector"), {"false"});
  }
}

}  // namespace chandler::admission
