#include "reconcilers/offers/default_plan_keeper.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "reconcilers/broker/catalog_world_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DefaultPlan : public CatalogWorld {
 protected:
  void put_plan(std::string_view name, std::string_view type, bool marked, std::string_view rest = "") {
    api.put(kClusterPlans, fmt::format(R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ClusterServicePlan
metadata: {{name: {0}, annotations: {{{1}: '{2}'}}}}
spec: {{clusterServiceBrokerName: b, clusterServiceClassRef: {{name: c}}, externalID: {0}, externalName: {0}, description: d, serviceType: {3}}}
{4})",
                                       name, kDefaultPlanAnnotation, marked ? "true" : "false", type, rest));
  }
  void mark(std::string_view name, std::string_view value = "true") {
    edit(kClusterPlans, "", name, [&](json::Object& root) {
      object_in(root["metadata"].as_object(), "annotations")[kDefaultPlanAnnotation] = text(value);
    });
    settle();
  }
  // "marked, acknowledged for"
  std::string state(std::string_view name) const {
    const PlanView plan(Scope::kCluster, get(kClusterPlans, name));
    return fmt::format("{}, {}", plan.is_default() ? "marked" : "plain", plan.acknowledged_default_for());
  }
};

TEST_F(DefaultPlan, TheOnlyMarkedPlanIsAcknowledged) {
  put_plan("small", "mysql", true);
  put_plan("other", "redis", true);
  start();
  EXPECT_EQ(state("small"), "marked, mysql");
  EXPECT_EQ(state("other"), "marked, redis");
  EXPECT_TRUE(has_event("Normal DefaultPlanSet: small is the default plan for mysql"));
  take_log();
  settle();
  EXPECT_THAT(take_log(), IsEmpty());
}

TEST_F(DefaultPlan, ANewlyMarkedPlanTakesOver) {
  put_plan("old", "mysql", true);
  put_plan("new", "mysql", false);
  start();
  ASSERT_EQ(state("old"), "marked, mysql");
  // Never two acknowledged at once, whatever is written when.
  fault = [this](const client::Write& write) -> std::optional<Error> {
    if (write.kind == kClusterPlans && write.name == "new") {
      EXPECT_EQ(text_at(status_of(get(kClusterPlans, "old")), "acknowledgedDefaultFor"), "");
    }
    return std::nullopt;
  };
  mark("new");
  EXPECT_EQ(state("old"), "plain, ");
  EXPECT_EQ(state("new"), "marked, mysql");
  EXPECT_TRUE(has_event("old is no longer the default plan for mysql"));
  EXPECT_TRUE(has_event("new is the default plan for mysql"));
}

TEST_F(DefaultPlan, ATakeoverThatWasInterruptedIsFinished) {
  put_plan("old", "mysql", false, "status: {acknowledgedDefaultFor: mysql}");
  put_plan("new", "mysql", true);
  start();
  EXPECT_EQ(state("old"), "plain, ");
  EXPECT_EQ(state("new"), "marked, mysql");
}

TEST_F(DefaultPlan, SeveralMarksAreReportedAndLeftAlone) {
  put_plan("a", "mysql", true);
  put_plan("b", "mysql", true);
  start();
  EXPECT_EQ(state("a"), "marked, ");
  EXPECT_EQ(state("b"), "marked, ");
  const auto plan = get(kClusterPlans, "a");
  const auto* found = condition(status_of(plan), kDefaultPlanCondition);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(text_at(*found, "reason"), "AmbiguousDefaultPlan");
  EXPECT_THAT(text_at(*found, "message"), HasSubstr("a, b"));
  EXPECT_TRUE(has_event("Warning AmbiguousDefaultPlan"));
  mark("b", "false");
  EXPECT_EQ(state("a"), "marked, mysql");
  EXPECT_EQ(show(kClusterPlans, "a", "status.conditions"), "null");
  EXPECT_EQ(show(kClusterPlans, "b", "status.conditions"), "null");
}

TEST_F(DefaultPlan, LosesItsRankWithItsMarkItsTypeOrItsPlaceInTheCatalog) {
  put_plan("a", "mysql", true);
  put_plan("b", "mysql", true, "status: {removedFromBrokerCatalog: true, acknowledgedDefaultFor: mysql}");
  start();
  EXPECT_EQ(state("a"), "marked, mysql");
  EXPECT_EQ(state("b"), "marked, ");
  edit(kClusterPlans, "", "a", [](json::Object& root) { root["spec"].as_object()["serviceType"] = "redis"; });
  settle();
  EXPECT_EQ(state("a"), "marked, redis");
  mark("a", "false");
  EXPECT_EQ(state("a"), "plain, ");
}

TEST_F(DefaultPlan, NamespacesHaveTheirOwn) {
  put_plan("cluster", "mysql", true);
  for (const std::string_view ns : {"dev", "qa"}) {
    api.put(kPlans, fmt::format(R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ServicePlan
metadata: {{name: tiny, namespace: {}, annotations: {{{}: 'true'}}}}
spec: {{serviceBrokerName: b, serviceClassRef: {{name: c}}, externalID: x, externalName: x, description: d, serviceType: mysql}})",
                                ns, kDefaultPlanAnnotation));
  }
  start();
  EXPECT_EQ(state("cluster"), "marked, mysql");
  EXPECT_EQ(show(kPlans, "tiny", "status.acknowledgedDefaultFor", "dev"), R"("mysql")");
  EXPECT_EQ(show(kPlans, "tiny", "status.acknowledgedDefaultFor", "qa"), R"("mysql")");
}

TEST_F(DefaultPlan, IsBehindItsGate) {
  put_plan("a", "mysql", true);
  Settings settings;
  settings.service_types = false;
  start(settings);
  EXPECT_EQ(state("a"), "marked, ");
}

}  // namespace
}  // namespace chandler::reconcilers::testing
