// What all loops and connections of one server share. Lives until the last of them is gone. Thread-safe: constant after
// construction but for the counters and the TLS context.
#pragma once

#include <atomic>
#include <utility>

#include "base/metrics.h"
#include "base/mutex.h"
#include "http/server.h"
#include "http/tls.h"

namespace chandler::http {

class ServerState {
 public:
  ServerState(ServerOptions options_in, Handler handler_in, metrics::Registry& metrics, TlsContext tls);

  TlsContext tls() const CH_EXCLUDES(mutex_);
  void set_tls(TlsContext tls) CH_EXCLUDES(mutex_);

  const ServerOptions options;
  const Handler handler;
  std::atomic<size_t> open_connections{0};
  metrics::Gauge& connections;
  metrics::Counter& connections_total;
  metrics::Counter& rejected_total;
  metrics::Counter& handshake_failures_total;
  metrics::Counter& http1_total;
  metrics::Counter& http2_total;
  metrics::Counter& calmed_total;
  metrics::Gauge& streams;

 private:
  mutable Mutex mutex_;
  TlsContext tls_ CH_GUARDED_BY(mutex_);
};

}  // namespace chandler::http
