#include "http/server_state.h"

#include <fmt/format.h>

#include "http/wire.h"

namespace chandler::http {

namespace {

Response plain_error(int status, std::string_view what) {
  Response response;
  response.status = status;
  response.headers.add("Content-Type", "text/plain; charset=utf-8");
  response.body = fmt::format("{} {}: {}\n", status, reason_phrase(status), what);
  return response;
}

metrics::Family<metrics::Counter>& protocols(metrics::Registry& metrics) {
  return metrics.counter("chandler_http_protocol_connections_total", "Client connections by agreed protocol.",
                         {"protocol"});
}

ServerOptions completed(ServerOptions options) {
  if (!options.error_page) options.error_page = plain_error;
  return options;
}

}  // namespace

ServerState::ServerState(ServerOptions options_in, Handler handler_in, metrics::Registry& metrics, TlsContext tls)
    : options(completed(std::move(options_in))),
      handler(std::move(handler_in)),
      connections(metrics.gauge("chandler_http_connections", "Open client connections.").with({})),
      connections_total(metrics.counter("chandler_http_connections_total", "Client connections accepted.").with({})),
      rejected_total(metrics
                         .counter("chandler_http_rejected_connections_total",
                                  "Client connections closed at once because there were too many.")
                         .with({})),
      handshake_failures_total(
          metrics.counter("chandler_http_handshake_failures_total", "TLS handshakes that failed or took too long.")
              .with({})),
      http1_total(protocols(metrics).with({"http/1.1"})),
      http2_total(protocols(metrics).with({"h2"})),
      calmed_total(metrics
                       .counter("chandler_http_calmed_connections_total",
                                "Connections of HTTP/2 ended because of floods or resets without measure.")
                       .with({})),
      streams(metrics.gauge("chandler_http_streams", "Requests under way over HTTP/2, watches among them.").with({})),
      tls_(std::move(tls)) {}

TlsContext ServerState::tls() const {
  MutexLock lock(mutex_);
  return tls_;
}

void ServerState::set_tls(TlsContext tls) {
  MutexLock lock(mutex_);
  tls_.swap(tls);
}

}  // namespace chandler::http
