#include "webhooks/hook_metrics.h"

#include <algorithm>

#include "webhooks/hook_match.h"

namespace chandler::webhooks {
namespace {

constexpr size_t kMaxNames = 256;
constexpr int kMaxCode = 600;  // what upstream shows for a code that is none

std::string code_text(int code) { return std::to_string(std::clamp(code, 0, kMaxCode)); }
std::string_view truth(bool value) { return value ? "true" : "false"; }

}  // namespace

HookMetrics::HookMetrics(metrics::Registry& registry)
    : requests_(registry.counter("apiserver_admission_webhook_request_total", "Calls to admission webhooks.",
                                 {"name", "type", "operation", "code", "rejected"})),
      rejections_(registry.counter("apiserver_admission_webhook_rejection_count",
                                   "Writes that admission webhooks refused, or that failed because of one.",
                                   {"name", "type", "operation", "error_type", "rejection_code"})),
      open_(registry.counter("apiserver_admission_webhook_fail_open_count",
                             "Calls that failed and were ignored, as the webhook's failurePolicy says.",
                             {"name", "type"})),
      seconds_(registry.histogram("apiserver_admission_webhook_admission_duration_seconds",
                                  "Time that calls to admission webhooks took.",
                                  {"name", "type", "operation", "rejected"}, metrics::latency_bounds())) {}

std::string_view HookMetrics::label(const std::string& name) {
  MutexLock lock(mutex_);
  if (const auto found = names_.find(name); found != names_.end()) return *found;
  if (names_.size() >= kMaxNames) return "other";
  return *names_.insert(name).first;
}

void HookMetrics::called(const Hook& hook, registry::Operation operation, int code, bool rejected,
                         std::chrono::nanoseconds took) {
  const auto name = label(hook.name);
  const auto word = operation_word(operation);
  requests_.with({name, hook.type(), word, code_text(code), truth(rejected)}).add();
  seconds_.with({name, hook.type(), word, truth(rejected)}).observe(std::chrono::duration<double>(took).count());
}

void HookMetrics::rejected(const Hook& hook, registry::Operation operation, std::string_view error, int code) {
  rejections_.with({label(hook.name), hook.type(), operation_word(operation), error, code_text(code)}).add();
}

void HookMetrics::failed_open(const Hook& hook) { open_.with({label(hook.name), hook.type()}).add(); }

}  // namespace chandler::webhooks
