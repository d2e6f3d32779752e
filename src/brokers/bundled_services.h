// The services that come with Chandler, made by name and put behind one catalog. Not thread-safe; its owner opens and
// stops it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "osb/server/service.h"

namespace chandler::brokers {

// Existing servers for the shared plans, instead of servers that we run; "" for none. See use-your-database-servers.md
// rights that the admins need.
struct DatabaseUrls {
  std::string mysql;       // mysql://admin:password@host:3306
  std::string postgresql;  // postgresql://admin:password@host:5432
  std::string redis;       // redis://admin:password@host:6379
};

struct BundledServicesOptions {
  std::string data_dir;  // everything of a service is below data_dir/<its name>
  std::string top;       // the uppermost directory that may be opened for the accounts of servers; "": data_dir
  DatabaseUrls urls;
  // Which services: "sqlite", "mysql", "postgresql", "redis". Empty: all that can be had on this machine; a log line
  // tells what is missing for the others.
  std::vector<std::string> names;
};

class BundledServices {
 public:
  static const std::vector<std::string>& all_names();

  // A service that was asked for by name and cannot be had is an error.
  static Result<std::unique_ptr<BundledServices>> open(BundledServicesOptions options);
  ~BundledServices();  // stop()
  BundledServices(const BundledServices&) = delete;
  BundledServices& operator=(const BundledServices&) = delete;

  osb::server::Service& service() { return *service_; }
  void stop();  // the servers that run for the services; blocking, idempotent

 private:
  BundledServices() = default;

  std::unique_ptr<osb::server::Service> service_;
  std::vector<std::function<void()>> stoppers_;
};

}  // namespace chandler::brokers
