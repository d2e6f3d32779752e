// For tests: one server of a kind for all tests of the process, in a temporary directory; it ends with the process. Not
// thread-safe.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "brokers/bundled_services.h"
#include "brokers/database/engine.h"
#include "brokers/mysql/mysql_engine.h"
#include "brokers/postgresql/postgresql_engine.h"
#include "brokers/redis/redis_engine.h"
#include "brokers/supervisor/server_fleet.h"
#include "brokers/temp_directory_fixture.h"

namespace chandler::brokers {

// In memory where there is plenty: hundreds of databases are tens of thousands of files, and that the disk keeps them
// is not what these tests are about.
inline std::filesystem::path place_of_shared_servers() {
  constexpr uintmax_t kPlenty = uintmax_t{4} << 30;
  std::error_code fault;
  const auto space = std::filesystem::space("/dev/shm", fault);
  return !fault && space.available > kPlenty ? "/dev/shm" : std::filesystem::temp_directory_path();
}

class SharedServer {
 public:
  explicit SharedServer(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {
    FleetOptions options;
    options.directory = directory_.path();
    fleet_ = ServerFleet::open(options, engine_->program()).value();
    ServerRecord wish;
    wish.name = "shared";
    record_ = fleet_->ensure(std::move(wish), [](const std::string&) {}).value();
  }

  const ServerRecord& record() const { return record_; }
  ServerAddress address() const { return admin_address(record_); }

 private:
  const TempDirectory directory_{place_of_shared_servers()};
  const std::unique_ptr<Engine> engine_;
  std::unique_ptr<ServerFleet> fleet_;
  ServerRecord record_;
};

inline std::unique_ptr<Engine> make_engine(const std::string& name) {
  if (name == "mysql") return make_mysql_engine();
  return name == "postgresql" ? make_postgresql_engine() : make_redis_engine();
}

inline SharedServer& shared_server(const std::string& name) {
  static std::map<std::string, std::unique_ptr<SharedServer>> servers;
  auto& server = servers[name];
  if (!server) server = std::make_unique<SharedServer>(make_engine(name));
  return *server;
}

inline DatabaseUrls shared_server_urls(const std::string& name) {
  const auto& record = shared_server(name).record();
  const std::string url = name + "://" + std::string(kAdminName) + ":" + record.admin_password + "@" +
                          std::string(kLoopback) + ":" + std::to_string(record.port);
  DatabaseUrls urls;
  (name == "mysql" ? urls.mysql : name == "postgresql" ? urls.postgresql : urls.redis) = url;
  return urls;
}

}  // namespace chandler::brokers
