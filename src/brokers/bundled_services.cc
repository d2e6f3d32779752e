#include "brokers/bundled_services.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "brokers/composite_service.h"
#include "brokers/database/database_service.h"
#include "brokers/mysql/mysql_engine.h"
#include "brokers/postgresql/postgresql_engine.h"
#include "brokers/redis/redis_engine.h"
#include "brokers/sqlite/sqlite_service.h"

namespace chandler::brokers {
namespace {

struct Row {
  std::string_view name;
  std::unique_ptr<Engine> (*make)();
  std::string DatabaseUrls::*url;
  uint16_t port;
};

constexpr Row kDatabases[] = {
    {"mysql", make_mysql_engine, &DatabaseUrls::mysql, 3306},
    {"postgresql", make_postgresql_engine, &DatabaseUrls::postgresql, 5432},
    {"redis", make_redis_engine, &DatabaseUrls::redis, 6379},
};

Result<std::unique_ptr<DatabaseService>> open_database(const Row& row, const BundledServicesOptions& options) {
  DatabaseServiceOptions wish;
  wish.directory = fmt::format("{}/{}", options.data_dir, row.name);
  wish.top = options.top;
  if (const std::string& url = options.urls.*row.url; !url.empty()) {
    CH_TRY_LET(address, parse_admin_url(url, row.name, row.port, fmt::format("--{}-admin-url", row.name)));
    wish.existing = std::move(address);
  }
  return DatabaseService::open(std::move(wish), row.make());
}

}  // namespace

const std::vector<std::string>& BundledServices::all_names() {
  static const std::vector<std::string> names = {"sqlite", "mysql", "postgresql", "redis"};
  return names;
}

Result<std::unique_ptr<BundledServices>> BundledServices::open(BundledServicesOptions options) {
  std::error_code fault;
  options.data_dir = std::filesystem::absolute(options.data_dir, fault).lexically_normal().string();
  if (fault) return unavailable(fmt::format("cannot find the directory {}: {}", options.data_dir, fault.message()));
  options.top = options.top.empty() ? options.data_dir
                                    : std::filesystem::absolute(options.top, fault).lexically_normal().string();
  for (const auto& name : options.names) {
    if (std::find(all_names().begin(), all_names().end(), name) == all_names().end()) {
      return bad_request(
          fmt::format("{} is no bundled service; there are {}", chandler::quoted(name), join(all_names(), ", ")));
    }
  }
  const auto is_wanted = [&](std::string_view name) {
    return options.names.empty() || std::find(options.names.begin(), options.names.end(), name) != options.names.end();
  };
  std::unique_ptr<BundledServices> bundled(new BundledServices());  // the constructor is private
  std::vector<std::unique_ptr<osb::server::Service>> services;
  if (is_wanted("sqlite")) {
    CH_TRY_LET(sqlite, open_sqlite_service(options.data_dir + "/sqlite/databases"));
    services.push_back(std::move(sqlite));
  }
  for (const auto& row : kDatabases) {
    if (!is_wanted(row.name)) continue;
    const bool must_be = !options.names.empty() || !(options.urls.*row.url).empty();
    if (!must_be && !row.make()->is_installed()) {
      log::info("a bundled service is left out because its programs are not installed",
                {{"service", row.name}, {"package", row.make()->package()}});
      continue;
    }
    auto opened = open_database(row, options);
    // One kind of database that is out of order must not keep everything else from starting.
    if (!opened.ok() && !must_be) {
      log::error("a bundled service is left out because it cannot be opened",
                 {{"service", row.name}, {"why", opened.error().message}});
      continue;
    }
    CH_TRY_LET(database, std::move(opened));
    bundled->stoppers_.push_back([raw = database.get()] { raw->stop(); });
    services.push_back(std::move(database));
  }
  bundled->service_ = make_composite_service(std::move(services));
  return bundled;
}

BundledServices::~BundledServices() { stop(); }

void BundledServices::stop() {
  std::vector<std::thread> threads;
  for (const auto& stopper : std::exchange(stoppers_, {})) threads.emplace_back(stopper);
  for (auto& thread : threads) thread.join();
}

}  // namespace chandler::brokers
