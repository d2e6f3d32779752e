// `chandler broker sqlite|scripted`: one of the bundled brokers as a program of its own.
#pragma once

#include <cstddef>
#include <string>

#include "brokers/bundled_services.h"
#include "osb/server/request.h"

namespace chandler::app {

struct BrokerOptions {
  std::string kind;  // sqlite, mysql, postgresql, redis or scripted
  std::string listen = "127.0.0.1:8080";
  std::string data_dir = "broker-data";  // of the sqlite broker
  std::string username = "broker";
  std::string password_file;  // empty: no authentication, allowed on loopback addresses only
  std::string tls_cert;       // both or none
  std::string tls_key;
  brokers::DatabaseUrls urls;   // existing servers of the database brokers
  size_t generate_classes = 0;  // scripted: a generated catalog of that many services with
  size_t generate_plans = 0;    // that many plans each
  std::string log_level = "info";
  osb::server::ParameterCheck check;  // parameters against schemas
};

// Prints one line when ready, runs until SIGTERM or SIGINT, returns the exit code.
int run_broker(const BrokerOptions& options);

}  // namespace chandler::app
