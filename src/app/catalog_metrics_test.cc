#include "app/catalog_metrics.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/time_text.h"
#include "controller/fake_api.h"
#include "reconcilers/catalog/kinds.h"
#include "support/fake_clock.h"

namespace chandler::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class CatalogFigures : public ::testing::Test {
 protected:
  void follow() { figures_.emplace(api.state(), registry, clock); }
  void put_instance(std::string_view name, std::string_view rest) {
    api.put(reconcilers::kInstances, fmt::format("{{kind: ServiceInstance, metadata: {{name: {}, namespace: dev, "
                                                 "creationTimestamp: '{}'}}, {}}}",
                                                 name, created, rest));
  }
  std::string text() const { return registry.text(); }

  controller::FakeApi api;
  metrics::Registry registry;
  ::chandler::testing::FakeClock clock;
  std::string created = rfc3339(clock.now());

 private:
  std::optional<CatalogMetrics> figures_;
};

TEST_F(CatalogFigures, CountObjectsByTheirState) {
  put_instance("a", "status: {lastConditionState: Provisioning}");
  follow();
  put_instance("b", "spec: {}");
  EXPECT_THAT(text(), HasSubstr(R"(servicecatalog_objects{kind="serviceinstances",state="Provisioning"} 1)"));
  EXPECT_THAT(text(), HasSubstr(R"(servicecatalog_objects{kind="serviceinstances",state="New"} 1)"));
  put_instance("a", "status: {lastConditionState: Ready}");
  put_instance("b", "status: {lastConditionState: Ready}");
  EXPECT_THAT(text(), HasSubstr(R"(servicecatalog_objects{kind="serviceinstances",state="Ready"} 2)"));
  EXPECT_THAT(text(), HasSubstr(R"(servicecatalog_objects{kind="serviceinstances",state="Provisioning"} 0)"));
  api.remove(reconcilers::kInstances, "dev", "a");
  EXPECT_THAT(text(), HasSubstr(R"(servicecatalog_objects{kind="serviceinstances",state="Ready"} 1)"));
}

TEST_F(CatalogFigures, MeasureTheWayToTheFirstReadyOnly) {
  follow();
  put_instance("a", "spec: {}");
  clock.advance(std::chrono::seconds(3));
  put_instance("a", "status: {lastConditionState: Ready, reconciledGeneration: 1}");
  EXPECT_THAT(text(), HasSubstr(R"(servicecatalog_time_to_ready_seconds_sum{kind="serviceinstances"} 3)"));
  put_instance("a", "status: {lastConditionState: UpdatingInstance, reconciledGeneration: 1}");
  put_instance("a", "status: {lastConditionState: Ready, reconciledGeneration: 2}");
  EXPECT_THAT(text(), HasSubstr(R"(servicecatalog_time_to_ready_seconds_count{kind="serviceinstances"} 1)"));
}

TEST_F(CatalogFigures, SayWhatEachBrokerOffers) {
  follow();
  api.put(reconcilers::kClusterBrokers,
          "{kind: ClusterServiceBroker, metadata: {name: azure}, status: {catalogCounts: {classes: 3, plans: 7}}}");
  api.put(reconcilers::kBrokers,
          "{kind: ServiceBroker, metadata: {name: azure, namespace: dev}, status: "
          "{catalogCounts: {classes: 1, plans: 2}}}");
  EXPECT_THAT(text(), HasSubstr(R"(servicecatalog_broker_service_class_count{broker="azure",namespace=""} 3)"));
  EXPECT_THAT(text(), HasSubstr(R"(servicecatalog_broker_service_plan_count{broker="azure",namespace=""} 7)"));
  EXPECT_THAT(text(), HasSubstr(R"(servicecatalog_broker_service_plan_count{broker="azure",namespace="dev"} 2)"));
  api.remove(reconcilers::kBrokers, "dev", "azure");
  EXPECT_THAT(text(), HasSubstr(R"(servicecatalog_broker_service_plan_count{broker="azure",namespace="dev"} 0)"));
}

TEST_F(CatalogFigures, AreNotMadeEndlessByWordsOfUsers) {
  follow();
  for (int i = 0; i < 300; ++i) {
    put_instance(fmt::format("i{}", i), fmt::format("spec: {{parameters: {{lastConditionState: word-{}}}}}", i));
  }
  EXPECT_THAT(text(), Not(HasSubstr("word-200")));
  EXPECT_THAT(text(), HasSubstr(R"x(state="(other)"} 172)x"));
  for (int i = 0; i < 300; ++i) api.remove(reconcilers::kInstances, "dev", fmt::format("i{}", i));
  EXPECT_THAT(text(), HasSubstr(R"x(state="(other)"} 0)x"));
}

}  // namespace
}  // namespace chandler::app
