#include <algorithm>
#include <filesystem>
#include <iostream>
#include <utility>

#include "brokers/broker_host.h"
#include "brokers/database/database_fixture.h"
#include "brokers/database/offer.h"
#include "brokers/database/shared_server_fixture.h"
#include "brokers/mysql/mysql_engine.h"
#include "brokers/postgresql/postgresql_engine.h"
#include "brokers/redis/redis_engine.h"
#include "brokers/redis/redis_session.h"
#include "brokers/scripted/scripted_catalog.h"
#include "brokers/sqlite/sqlite_catalog.h"
#include "brokers/temp_directory_fixture.h"
#include "conformance/broker_suite.h"
#include "support/eventually.h"

namespace chandler::brokers {
namespace {

// One bundled service. Its shared server is the one that all tests of this process use, so that each test has to start
// only what it is about.
class ServiceLab final : public BrokerLab {
 public:
  explicit ServiceLab(std::string name) : name_(std::move(name)) {}
  uint16_t start(osb::server::ParameterCheck check) override {
    ServiceBrokerOptions options;
    options.services.data_dir = directory_.path();
    options.services.names = {name_};
    if (name_ != "sqlite") options.services.urls = shared_server_urls(name_);
    options.username = kUser;
    options.password = kPassword;
    options.check = std::move(check);
    host_ = BrokerHost::start(std::move(options), {}).value();
    return host_->port();
  }
  void stop() override { host_.reset(); }

 private:
  const std::string name_;
  const TempDirectory directory_;
  std::unique_ptr<BrokerHost> host_;
};

class ScriptedLab final : public BrokerLab {
 public:
  uint16_t start(osb::server::ParameterCheck check) override {
    host_ = BrokerHost::start(ScriptedOptions{kUser, kPassword, std::move(check), {}}, {}).value();
    return host_->port();
  }
  void stop() override { host_.reset(); }

 private:
  std::unique_ptr<BrokerHost> host_;
};

const BrokerParam kSqlite{
    "Sqlite",
    [] { return std::make_unique<ServiceLab>("sqlite"); },
    std::string(kSqliteServiceId),
    std::string(kSqliteDefaultPlanId),
    std::string(kSqliteLargePlanId),
    R"({"maxSizeMiB":16})",
    R"({"journalMode":"delete","maxSizeMiB":32})",
    R"({"maxSizeMiB":100000})",
    R"({"readOnly":true})",
    R"({"readOnly":false})",
    "1.0.0",
    true,
    [](const json::Value& credentials) { return std::filesystem::exists(json::string_or(credentials, "path")); }};
const BrokerParam kScripted{"Scripted",
                            [] { return std::make_unique<ScriptedLab>(); },
                            std::string(kScriptedServiceId),
                            std::string(kScriptedSyncPlanId),
                            std::string(kScriptedAsyncPlanId),
                            R"({"size":1})",
                            R"({"color":"red","size":2})",
                            R"({"size":1000})",
                            R"({"role":"reader"})",
                            R"({"role":"writer"})",
                            "1.0.0"};

bool is_refusal(std::string_view message) {
  constexpr std::string_view kRefusals[] = {"Access denied", "password authentication failed", "does not exist",
                                            "not permitted to log in"};
  return std::any_of(std::begin(kRefusals), std::end(kRefusals),
                     [&](std::string_view text) { return message.find(text) != std::string_view::npos; });
}

// A busy machine may take longer than a session waits: only an answer of the server counts.
bool can_log_in(const std::string& kind, const json::Value& credentials) {
  bool is_in = false;
  EXPECT_TRUE(::chandler::testing::eventually([&] {
    const auto client =
        SqlClient::connect(kind, DatabaseLab::address(credentials), json::string_or(credentials, "database"));
    is_in = client.ok();
    return is_in || is_refusal(client.error().message);
  }));
  return is_in;
}

BrokerParam database(std::string label, std::string name, std::string_view service, std::string_view sync_plan,
                     std::string_view async_plan) {
  BrokerParam param;
  param.name = std::move(label);
  param.make = [name] { return std::make_unique<ServiceLab>(name); };
  param.service_id = service;
  param.sync_plan = sync_plan;
  param.async_plan = async_plan;
  param.parameters = R"({"maxConnections":10})";
  param.other_parameters = R"({"maxConnections":20})";
  param.bad_parameters = R"({"maxConnections":100000})";
  param.binding_parameters = R"({"user":"reader"})";
  param.other_binding_parameters = R"({"user":"writer"})";
  param.maintenance_version = kOfferVersion;
  param.is_plan_changeable = false;
  param.can_use = [name](const json::Value& credentials) { return can_log_in(name, credentials); };
  return param;
}

const BrokerParam kMysql = database("Mysql", "mysql", kMysqlServiceId, kMysqlPlanId, kMysqlDatabaseAndServerPlanId);
const BrokerParam kPostgresql =
    database("Postgresql", "postgresql", kPostgresqlServiceId, kPostgresqlPlanId, kPostgresqlDatabaseAndServerPlanId);
const BrokerParam kRedis = [] {
  auto param = database("Redis", "redis", kRedisServiceId, kRedisSharedPlanId, kRedisDedicatedPlanId);
  param.parameters = R"({"scripting":"refused"})";
  param.other_parameters = "{}";
  param.bad_parameters = R"({"scripting":"perhaps"})";
  param.can_use = [](const json::Value& credentials) {
    auto session = RedisSession::connect(DatabaseLab::address(credentials));
    return session.ok() && session->command({"GET", json::string_or(credentials, "prefix") + "k"}).ok();
  };
  return param;
}();

// Those whose programs are not installed are left out, loudly: fewer tests than there should be must not look fine.
std::vector<BrokerParam> with_databases(std::vector<BrokerParam> params) {
  const std::pair<const BrokerParam*, bool> rows[] = {{&kMysql, make_mysql_engine()->is_installed()},
                                                      {&kPostgresql, make_postgresql_engine()->is_installed()},
                                                      {&kRedis, make_redis_engine()->is_installed()}};
  for (const auto& [param, is_installed] : rows) {
    if (is_installed) {
      params.push_back(*param);
    } else {
      std::cerr << "SKIPPED: the broker suite over " << param->name << "; run scripts/install-deps databases\n";
    }
  }
  return params;
}

INSTANTIATE_TEST_SUITE_P(Brokers, BrokerSuite, ::testing::ValuesIn(with_databases({kSqlite, kScripted})),
                         broker_param_name);
INSTANTIATE_TEST_SUITE_P(Brokers, DurableBrokerSuite, ::testing::ValuesIn(with_databases({kSqlite})),
                         broker_param_name);

}  // namespace
}  // namespace chandler::brokers
