// Counts and times requests by verb and resource, with the metric names that existing dashboards know.
#pragma once

#include "base/clock.h"
#include "base/metrics.h"

namespace chandler::apiserver {

struct Call;

class RequestMetrics {
 public:
  explicit RequestMetrics(metrics::Registry& registry);
  void done(const Call& call, int code, MonoTime now);
  metrics::Gauge& watchers() { return watchers_; }

 private:
  metrics::Family<metrics::Counter>& total_;
  metrics::Family<metrics::Histogram>& seconds_;
  metrics::Gauge& watchers_;
};

}  // namespace chandler::apiserver
