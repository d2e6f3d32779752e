// What operators see of webhooks: calls, how long they take, what is refused. By name of the webhook, of which so many
// are told apart as any sane configuration has. Thread-safe.
#pragma once

#include <chrono>
#include <set>
#include <string>
#include <string_view>

#include "base/metrics.h"
#include "base/mutex.h"
#include "registry/admission.h"
#include "webhooks/hook.h"

namespace chandler::webhooks {

class HookMetrics {
 public:
  explicit HookMetrics(metrics::Registry& registry);

  // A call that came to an end; `code` is the HTTP status of the answer, 0 when there was none.
  void called(const Hook& hook, registry::Operation operation, int code, bool rejected, std::chrono::nanoseconds took);
  // A write that was refused: `error` "no_error" when the webhook said so, "calling_webhook_error" when it could not be
  // asked, "apiserver_internal_error" when its patch does not fit.
  void rejected(const Hook& hook, registry::Operation operation, std::string_view error, int code);
  void failed_open(const Hook& hook);

 private:
  std::string_view label(const std::string& name) CH_EXCLUDES(mutex_);

  metrics::Family<metrics::Counter>& requests_;
  metrics::Family<metrics::Counter>& rejections_;
  metrics::Family<metrics::Counter>& open_;
  metrics::Family<metrics::Histogram>& seconds_;
  Mutex mutex_;
  std::set<std::string, std::less<>> names_ CH_GUARDED_BY(mutex_);
};

}  // namespace chandler::webhooks
