#include "apiserver/request_metrics.h"

#include <charconv>
#include <chrono>

#include "apiserver/call.h"

namespace chandler::apiserver {

RequestMetrics::RequestMetrics(metrics::Registry& registry)
    : total_(registry.counter("apiserver_request_total", "Requests by verb, resource and HTTP code.",
                              {"verb", "group", "resource", "code"})),
      seconds_(registry.histogram("apiserver_request_duration_seconds",
                                  "Time from the request's arrival to its answer (for watches: to its first byte).",
                                  {"verb", "group", "resource"}, metrics::latency_bounds())),
      watchers_(registry.gauge("apiserver_watchers", "Watches that are open.").with({})) {}

void RequestMetrics::done(const Call& call, int code, MonoTime now) {
  // Names come from kinds that are served, never from what a client made up.
  const bool known = call.kind != nullptr;
  const std::string_view group = known ? std::string_view(call.kind->group) : "";
  const std::string_view resource = known ? std::string_view(call.kind->plural) : "";
  const std::string_view verb = known ? std::string_view(call.info.verb) : "other";
  char text[8];
  const auto printed = std::to_chars(text, text + sizeof(text), code);
  total_.with({verb, group, resource, std::string_view(text, static_cast<size_t>(printed.ptr - text))}).add();
  seconds_.with({verb, group, resource}).observe(std::chrono::duration<double>(now - call.started).count());
}

}  // namespace chandler::apiserver
