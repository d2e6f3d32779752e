// The broker side of the Open Service Broker API (2.17), once for all brokers: give it a Service and serve its handler.
// Authentication, versions, checks in the order of the specification, idempotency, asynchronous operations, durable
// state and recovery are done here; the Service does the real work.
//
// Threads: one lane ("osb-state") takes all decisions and owns the state, workers ("osb-work-<n>") run the Service. The
// handler may be called from any thread and never blocks.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/file.h"
#include "base/pool.h"
#include "base/result.h"
#include "http/message.h"
#include "osb/server/catalog.h"
#include "osb/server/gate.h"
#include "osb/server/operations.h"
#include "osb/server/request.h"
#include "osb/server/service.h"

namespace chandler::osb::server {

struct BrokerServerOptions {
  std::string data_dir;  // created if missing, for the owner only; holds broker.db, broker.key, broker.lock
  std::string username;  // both empty: no authentication
  std::string password;
  ParameterCheck check;  // empty: parameters are not checked against schemas here
  size_t workers = 4;
  std::chrono::seconds remember{3600};  // finished operations
};

class BrokerServer {
 public:
  // Opens the state and begins again what was under way. `service` and `clock` outlive this.
  static Result<std::unique_ptr<BrokerServer>> open(Service& service, BrokerServerOptions options, const Clock& clock);
  ~BrokerServer();  // stop()
  BrokerServer(const BrokerServer&) = delete;
  BrokerServer& operator=(const BrokerServer&) = delete;

  void handle(const http::Request& request, std::unique_ptr<http::Responder> responder);
  http::Handler handler();  // handle(), for as long as this lives
  // Lets work under way come to its end. Requests are refused from then on. Idempotent.
  void stop();

 private:
  BrokerServer(BrokerServerOptions options, FileLock lock, Catalog catalog);
  void enqueue(BrokerRequest request, Caller caller);

  const BrokerServerOptions options_;
  const FileLock lock_;
  const Catalog catalog_;
  const Gate gate_;
  std::atomic<size_t> queued_{0};  // requests on the lane
  Pool lane_;
  Pool workers_;
  std::unique_ptr<Operations> operations_;  // used on the lane only
};

}  // namespace chandler::osb::server
