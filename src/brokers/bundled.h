// The broker that `chandler serve` brings along, in the same process, with all services that can be had on this
// machine: reachable on a loopback port that the system chooses, with a password made anew at each start. State and
// servers are below the data directory and outlive both. Not thread-safe; its owner starts and stops it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "brokers/broker_host.h"
#include "brokers/bundled_services.h"
#include "osb/server/request.h"

namespace chandler::brokers {

struct BundledOptions {
  DatabaseUrls urls;                  // existing servers
  std::vector<std::string> services;  // empty: all that can be had
  // The directory of the whole program, which the accounts of database servers must be able to pass through; "": the
  // brokers' own directory.
  std::string top;
};

class BundledBrokers {
 public:
  // `check` validates parameters against the plans' schemas.
  static Result<std::unique_ptr<BundledBrokers>> start(const std::string& data_dir, osb::server::ParameterCheck check,
                                                       BundledOptions options = {});

  const std::string& url() const { return host_->url(); }
  const std::string& username() const { return username_; }
  const std::string& password() const { return password_; }
  void stop() { host_->stop(); }  // blocking, idempotent

 private:
  BundledBrokers() = default;

  std::string username_ = "chandler";
  std::string password_;
  std::unique_ptr<BrokerHost> host_;
};

}  // namespace chandler::brokers
