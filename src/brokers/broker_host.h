// A running broker: the broker itself and the HTTP listener in front of it, started and stopped in the right order.
// Not thread-safe; its owner starts and stops it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/metrics.h"
#include "base/result.h"
#include "brokers/bundled_services.h"
#include "brokers/scripted/scripted_broker.h"
#include "http/server.h"
#include "osb/server/request.h"

namespace chandler::brokers {

struct Listen {
  std::string host = "127.0.0.1";
  uint16_t port = 0;  // 0: any free one
  std::optional<http::TlsFiles> tls;
};

// Any of the bundled services behind one catalog.
struct ServiceBrokerOptions {
  BundledServicesOptions services;  // the state is in services.data_dir/state
  std::string username;
  std::string password;
  osb::server::ParameterCheck check;
};

class BrokerHost {
 public:
  static Result<std::unique_ptr<BrokerHost>> start(ServiceBrokerOptions options, const Listen& listen);
  static Result<std::unique_ptr<BrokerHost>> start(ScriptedOptions options, const Listen& listen);
  ~BrokerHost();  // stop()
  BrokerHost(const BrokerHost&) = delete;
  BrokerHost& operator=(const BrokerHost&) = delete;

  const std::string& url() const { return url_; }  // http://127.0.0.1:41234
  uint16_t port() const { return listener_->port(); }
  // Ends the listener, lets work under way come to its end, then stops the servers. Blocking, idempotent.
  void stop();

 private:
  BrokerHost() = default;
  Result<void> serve(const Listen& listen, http::Handler handler);

  metrics::Registry metrics_;
  std::shared_ptr<void> broker_;         // whichever it is; gone after the listener
  std::function<void()> finish_broker_;  // waits for its work
  std::unique_ptr<http::Server> listener_;
  std::string url_;
};

}  // namespace chandler::brokers
