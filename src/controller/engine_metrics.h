// What the engine counts. Brokers come and go, but label values stay in the registry for good, so only so many brokers
// get their own; the rest share one. Belongs to the engine's thread.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/metrics.h"
#include "osb/answer.h"

namespace chandler::controller {

class EngineMetrics {
 public:
  explicit EngineMetrics(metrics::Registry& registry);

  void answered(std::string_view broker, const osb::Call& call, const osb::Answer& answer,
                std::chrono::duration<double> took);
  // How a broker's lane is now.
  void lane(std::string_view broker, size_t under_way, size_t waiting, bool open);
  // Names of reconcilers are constants.
  void ran(std::string_view reconciler, std::string_view result, std::chrono::duration<double> took);
  void write_failed(std::string_view reconciler, const Error& error);
  void queue(std::string_view reconciler, int64_t added);

 private:
  // Every run and every call counts, so what counts is looked up once. Names of methods and statuses are constants,
  // too.
  struct ReconcilerFigures {
    const char* name;
    metrics::Gauge& queued;
    metrics::Histogram& seconds;
    std::vector<std::pair<const char*, metrics::Counter*>> runs;  // by result, a constant too
  };
  struct MethodFigures {
    const char* name;
    metrics::Histogram& seconds;
    std::vector<std::pair<const char*, metrics::Counter*>> requests;  // by status
  };
  struct LaneFigures {
    metrics::Gauge& in_flight;
    metrics::Gauge& waiting;
    metrics::Gauge& open;
    std::vector<MethodFigures> methods;
  };
  ReconcilerFigures& figures_of(std::string_view reconciler);
  LaneFigures* lane_of(std::string_view broker);  // null: one of the rest
  MethodFigures& method_of(LaneFigures& lane, std::string_view broker, std::string_view method);

  metrics::Family<metrics::Counter>& requests_;
  metrics::Family<metrics::Histogram>& request_seconds_;
  metrics::Family<metrics::Gauge>& in_flight_;
  metrics::Family<metrics::Gauge>& waiting_;
  metrics::Family<metrics::Gauge>& open_;
  metrics::Family<metrics::Counter>& runs_;
  metrics::Family<metrics::Histogram>& run_seconds_;
  metrics::Family<metrics::Counter>& write_failures_;
  metrics::Family<metrics::Gauge>& queued_;
  std::vector<ReconcilerFigures> reconcilers_;
  std::map<std::string, LaneFigures, std::less<>> lanes_;
};

// As upstream groups them: 2xx, 3xx, 4xx, 5xx, or client-error when there was no answer.
std::string_view status_group(const osb::Answer& answer);

}  // namespace chandler::controller
