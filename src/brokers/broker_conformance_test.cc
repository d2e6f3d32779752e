#include "brokers/broker_host.h"
#include "brokers/scripted/scripted_catalog.h"
#include "brokers/sqlite/sqlite_catalog.h"
#include "brokers/temp_directory_fixture.h"
#include "conformance/broker_suite.h"

namespace chandler::brokers {
namespace {

class SqliteLab final : public BrokerLab {
 public:
  uint16_t start(osb::server::ParameterCheck check) override {
    host_ = BrokerHost::start(SqliteBrokerOptions{directory_.path(), kUser, kPassword, std::move(check)}, {}).value();
    return host_->port();
  }
  void stop() override { host_.reset(); }

 private:
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

const BrokerParam kSqlite{"Sqlite",
                          [] { return std::make_unique<SqliteLab>(); },
                          std::string(kSqliteServiceId),
                          std::string(kSqliteDefaultPlanId),
                          std::string(kSqliteLargePlanId),
                          R"({"maxSizeMiB":16})",
                          R"({"journalMode":"delete","maxSizeMiB":32})",
                          R"({"maxSizeMiB":100000})",
                          R"({"readOnly":true})",
                          R"({"readOnly":false})",
                          "1.0.0"};
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

INSTANTIATE_TEST_SUITE_P(Brokers, BrokerSuite, ::testing::Values(kSqlite, kScripted), broker_param_name);
INSTANTIATE_TEST_SUITE_P(Brokers, DurableBrokerSuite, ::testing::Values(kSqlite), broker_param_name);

}  // namespace
}  // namespace chandler::brokers
