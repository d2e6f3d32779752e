#include "app/catalog_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace chandler::app {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::HasSubstr;

TEST(CatalogOptions, DefaultsAreThoseOfTheSettings) {
  const auto settings = settings_of({}).value();
  EXPECT_EQ(settings.osb_api_request_timeout, seconds(60));
  EXPECT_EQ(settings.reconciliation_retry_duration, hours(168));
  EXPECT_EQ(settings.broker_relist_interval, hours(24));
  EXPECT_TRUE(settings.service_plan_defaults && settings.service_types && settings.suggested_plans);
}

TEST(CatalogOptions, ReadsDurationsAndGates) {
  CatalogOptions options;
  options.osb_api_request_timeout = "1m30s";
  options.feature_gates = "ServiceTypes=false, ServicePlanDefaults=true,AsyncBindingOperations=true";
  const auto settings = settings_of(options).value();
  EXPECT_EQ(settings.osb_api_request_timeout, seconds(90));
  EXPECT_FALSE(settings.service_types);
  EXPECT_TRUE(settings.service_plan_defaults);
}

TEST(CatalogOptions, SaysWhereBrokersOfANamespaceMayBe) {
  struct Row {
    std::string reason;
    bool allow_local;
    std::string denied, address, want;
  };
  for (const Row& row : std::vector<Row>{
           {"private networks are where brokers are", false, "", "10.0.0.1", ""},
           {"this machine is not", false, "", "127.0.0.1", "loopback address; ask an operator to register"},
           {"the remedy is named", false, "", "127.0.0.1", "--allow-local-brokers"},
           {"unless it is allowed", true, "", "127.0.0.1", ""},
           {"metadata services never are", true, "", "169.254.169.254", "cloud metadata service"},
           {"denied by the operator", true, "private, 127.0.0.0/8", "127.0.0.1", "--deny-broker-networks"},
           {"a word for many", false, "private", "192.168.1.1", "its network is denied"},
           {"other networks stay allowed", false, "private", "203.0.113.1", ""}}) {
    CatalogOptions options;
    options.allow_local_brokers = row.allow_local;
    options.deny_broker_networks = row.denied;
    const auto refusal = settings_of(options)->namespaced_broker_addresses->refusal(row.address);
    EXPECT_EQ(refusal.empty(), row.want.empty()) << row.reason << ": " << refusal;
    EXPECT_THAT(refusal, HasSubstr(row.want)) << row.reason;
  }
}

TEST(CatalogOptions, SaysWhatIsWrong) {
  struct Row {
    std::string reason;
    void (*change)(CatalogOptions&);
    std::string want;
  };
  const Row rows[] = {
      {"no unit", [](CatalogOptions& o) { o.broker_relist_interval = "90"; }, "--broker-relist-interval: \"90\""},
      {"zero", [](CatalogOptions& o) { o.osb_api_request_timeout = "0s"; }, "--osb-api-request-timeout"},
      {"unknown gate", [](CatalogOptions& o) { o.feature_gates = "ServiceType=true"; }, "did you mean ServiceTypes?"},
      {"no value", [](CatalogOptions& o) { o.feature_gates = "ServiceTypes"; }, "write ServiceTypes=true"},
      {"always on", [](CatalogOptions& o) { o.feature_gates = "OriginatingIdentity=false"; }, "always on"},
      {"host bits", [](CatalogOptions& o) { o.deny_broker_networks = "private,10.1.0.0/8"; },
       "--deny-broker-networks: \"10.1.0.0/8\" has host bits set; use 10.0.0.0/8"},
      {"version", [](CatalogOptions& o) { o.osb_api_preferred_version = "3"; }, "--osb-api-preferred-version"},
  };
  for (const auto& row : rows) {
    CatalogOptions options;
    row.change(options);
    const auto settings = settings_of(options);
    ASSERT_FALSE(settings.ok()) << row.reason;
    EXPECT_THAT(settings.error().message, HasSubstr(row.want)) << row.reason;
  }
}

}  // namespace
}  // namespace chandler::app
