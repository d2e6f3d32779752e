#include "controller/engine_metrics.h"

namespace chandler::controller {
namespace {

constexpr size_t kMostBrokers = 500;
constexpr std::string_view kOtherBrokers = "(other)";  // no object can be named so

}  // namespace

EngineMetrics::EngineMetrics(metrics::Registry& registry)
    : requests_(registry.counter("servicecatalog_osb_request_count", "Requests to brokers by what they came to.",
                                 {"broker", "method", "status"})),
      request_seconds_(registry.histogram("servicecatalog_osb_request_duration_seconds",
                                          "Time until a broker answered, or did not.", {"broker", "method"},
                                          metrics::latency_bounds())),
      in_flight_(registry.gauge("chandler_controller_calls_in_flight", "Requests under way at a broker.", {"broker"})),
      waiting_(registry.gauge("chandler_controller_calls_waiting",
                              "Requests that wait for others to the same broker, or for its circuit breaker.",
                              {"broker"})),
      open_(registry.gauge("chandler_controller_breaker_open", "1 while the circuit breaker of a broker is open.",
                           {"broker"})),
      runs_(registry.counter("chandler_controller_runs_total", "Runs of reconcilers by what they decided.",
                             {"reconciler", "result"})),
      run_seconds_(registry.histogram("chandler_controller_run_seconds", "Time a reconciler took to decide.",
                                      {"reconciler"}, metrics::latency_bounds())),
      write_failures_(registry.counter("chandler_controller_write_failures_total",
                                       "Writes of reconcilers that failed, by reason.", {"reconciler", "reason"})),
      queued_(registry.gauge("chandler_controller_queue_depth", "Objects that wait for their reconciler.",
                             {"reconciler"})) {}

EngineMetrics::ReconcilerFigures& EngineMetrics::figures_of(std::string_view reconciler) {
  for (auto& figures : reconcilers_) {
    if (figures.name == reconciler.data()) return figures;
  }
  return reconcilers_.emplace_back(
      ReconcilerFigures{reconciler.data(), queued_.with({reconciler}), run_seconds_.with({reconciler}), {}});
}

EngineMetrics::LaneFigures* EngineMetrics::lane_of(std::string_view broker) {
  const auto known = lanes_.find(broker);
  if (known != lanes_.end()) return &known->second;
  if (lanes_.size() >= kMostBrokers) return nullptr;
  LaneFigures figures{in_flight_.with({broker}), waiting_.with({broker}), open_.with({broker}), {}};
  return &lanes_.emplace(broker, std::move(figures)).first->second;
}

EngineMetrics::MethodFigures& EngineMetrics::method_of(LaneFigures& lane, std::string_view broker,
                                                       std::string_view method) {
  for (auto& figures : lane.methods) {
    if (figures.name == method.data()) return figures;
  }
  return lane.methods.emplace_back(MethodFigures{method.data(), request_seconds_.with({broker, method}), {}});
}

void EngineMetrics::answered(std::string_view broker, const osb::Call& call, const osb::Answer& answer,
                             std::chrono::duration<double> took) {
  const auto method = osb::method_name(call.method);
  const auto status = status_group(answer);
  auto* lane = lane_of(broker);
  if (lane == nullptr) {
    requests_.with({kOtherBrokers, method, status}).add();
    request_seconds_.with({kOtherBrokers, method}).observe(took.count());
    return;
  }
  auto& figures = method_of(*lane, broker, method);
  figures.seconds.observe(took.count());
  for (const auto& [name, counter] : figures.requests) {
    if (name == status.data()) return counter->add();
  }
  figures.requests.emplace_back(status.data(), &requests_.with({broker, method, status})).second->add();
}

void EngineMetrics::lane(std::string_view broker, size_t under_way, size_t waiting, bool open) {
  const auto* figures = lane_of(broker);
  if (figures == nullptr) return;  // a level of many brokers under one name says nothing
  figures->in_flight.set(static_cast<int64_t>(under_way));
  figures->waiting.set(static_cast<int64_t>(waiting));
  figures->open.set(open ? 1 : 0);
}

void EngineMetrics::ran(std::string_view reconciler, std::string_view result, std::chrono::duration<double> took) {
  auto& figures = figures_of(reconciler);
  figures.seconds.observe(took.count());
  for (const auto& [name, counter] : figures.runs) {
    if (name == result.data()) return counter->add();
  }
  figures.runs.emplace_back(result.data(), &runs_.with({reconciler, result})).second->add();
}

void EngineMetrics::write_failed(std::string_view reconciler, const Error& error) {
  const auto reason = reason_name(error.reason);
  write_failures_.with({reconciler, reason.empty() ? "Unknown" : reason}).add();
}

void EngineMetrics::queue(std::string_view reconciler, int64_t added) { figures_of(reconciler).queued.add(added); }

std::string_view status_group(const osb::Answer& answer) {
  if (answer.failure) return "client-error";
  switch (answer.status / 100) {
    case 2:
      return "2xx";
    case 3:
      return "3xx";
    case 4:
      return "4xx";
    case 5:
      return "5xx";
    default:
      return "client-error";
  }
}

}  // namespace chandler::controller
