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
