// The brokers that `chandler serve` brings along, in the same process: reachable on a loopback port that the system
// chooses, with a password made anew at each start. Their state is below the data directory and outlives both.
// Not thread-safe; its owner starts and stops it.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "brokers/broker_host.h"
#include "osb/server/request.h"

namespace chandler::brokers {

class BundledBrokers {
 public:
  // Uses `data_dir`/sqlite. `check` validates parameters against the plans' schemas.
  static Result<std::unique_ptr<BundledBrokers>> start(const std::string& data_dir, osb::server::ParameterCheck check);

  const std::string& url() const { return sqlite_->url(); }
  const std::string& username() const { return username_; }
  const std::string& password() const { return password_; }
  void stop() { sqlite_->stop(); }  // blocking, idempotent

 private:
  BundledBrokers() = default;

  std::string username_ = "chandler";
  std::string password_;
  std::unique_ptr<BrokerHost> sqlite_;
};

}  // namespace chandler::brokers
