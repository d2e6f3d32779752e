// Moving to another plan, or class, where no admission has looked at it.
#include "reconcilers/instance/instance_story_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

class PlanChange : public InstanceStory {
 protected:
  // Where the operator or the broker says whether instances may leave a plan.
  void allow(const client::KindName& kind, std::string_view name, std::optional<bool> allowed) {
    edit(
        kind, name,
        [&](json::Object& root) {
          auto& spec = object_in(root, "spec");
          spec.erase("planUpdatable");
          if (allowed) spec["planUpdatable"] = *allowed;
        },
        "");
  }
};

TEST_F(PlanChange, IsMadeOnlyWhereThePlanOrElseTheClassAllowsIt) {
  struct Row {
    std::string_view reason;
    std::optional<bool> by_class, by_plan;
    std::string who;  // forbids it
  };
  int count = 0;
  for (const Row& row : {Row{"the class allows it", true, std::nullopt, ""},
                         Row{"the class forbids it", false, std::nullopt, "class \"mysql\""},
                         Row{"nobody says anything", std::nullopt, std::nullopt, "class \"mysql\""},
                         Row{"the plan knows better and allows it", false, true, ""},
                         Row{"the plan knows better and forbids it", true, false, "plan \"small\""}}) {
    allow(kClusterClasses, "c1", row.by_class);
    allow(kClusterPlans, "p1", row.by_plan);
    const auto name = fmt::format("i{}", count++);
    apply_instance("{" + kSmall + "}", name);
    finish();
    ASSERT_EQ(conditions(kInstances, name), "Ready=True:ProvisionedSuccessfully");
    broker.calls.clear();
    edit_spec(kInstances, name, [](json::Object& spec) {
      spec["clusterServicePlanExternalName"] = "large";
      spec.erase("clusterServicePlanRef");
    });
    finish();
    if (row.who.empty()) {
      EXPECT_EQ(conditions(kInstances, name), "Ready=True:InstanceUpdatedSuccessfully") << row.reason;
      EXPECT_EQ(broker.take_lines(), Lines{"UpdateInstance id-" + name}) << row.reason;
      continue;
    }
    EXPECT_EQ(conditions(kInstances, name), "Ready=False:PlanNotUpdatable") << row.reason;
    EXPECT_NE(message(kInstances, name).find(row.who), std::string::npos) << message(kInstances, name);
    EXPECT_EQ(broker.take_lines(), Lines()) << row.reason;
    EXPECT_EQ(show(kInstances, name, "status.externalProperties.clusterServicePlanExternalID"), R"("p1")");
    expect_quiet();
  }
}

TEST_F(PlanChange, GoesOnWhenItIsAllowedAfterAll) {
  provision();
  allow(kClusterClasses, "c1", false);
  change_plan("clusterServicePlanExternalName", "large");
  settle();
  ASSERT_EQ(conditions(), "Ready=False:PlanNotUpdatable");
  EXPECT_TRUE(has_event("PlanNotUpdatable"));
  allow(kClusterClasses, "c1", true);
  settle();
  EXPECT_EQ(conditions(), "Ready=True:InstanceUpdatedSuccessfully");
  EXPECT_EQ(instance("status.externalProperties.clusterServicePlanExternalID"), R"("p2")");
}

TEST_F(PlanChange, IsTakenBackByNamingTheFormerPlan) {
  provision();
  allow(kClusterClasses, "c1", false);
  change_plan("clusterServicePlanExternalName", "large");
  settle();
  change_plan("clusterServicePlanExternalName", "small");
  settle();
  EXPECT_EQ(conditions(), "Ready=True:InstanceUpdatedSuccessfully");
  EXPECT_EQ(broker.instances.at("id-mydb").plan_id, "p1");
}

TEST_F(PlanChange, IsNotMeantByOtherParameters) {
  provision();
  allow(kClusterClasses, "c1", false);
  edit_spec(kInstances, "mydb", [](json::Object& spec) { spec["parameters"] = json::Object{{"size", 2}}; });
  settle();
  EXPECT_EQ(conditions(), "Ready=True:InstanceUpdatedSuccessfully");
}

TEST_F(PlanChange, NeedsNoPermissionAsLongAsTheBrokerHasNothing) {
  allow(kClusterClasses, "c1", false);
  broker.script = [](const osb::Call& call) -> std::optional<osb::Answer> {
    return json::string_or(call.body, "plan_id") == "p1" ? std::optional(answer_of(400)) : std::nullopt;
  };
  apply_instance("{" + kSmall + "}");
  settle();
  ASSERT_EQ(conditions(), "Ready=False:ProvisionCallFailed Failed=True:ClusterServiceBrokerReturnedFailure");
  change_plan("clusterServicePlanExternalName", "large");
  finish();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
}

TEST_F(PlanChange, NeverLeadsToAnotherClass) {
  apply_class("c2", "externalName: redis");
  apply_plan("p3", "externalName: small", Scope::kCluster, "c2");
  provision();
  edit_spec(kInstances, "mydb", [](json::Object& spec) {
    spec["clusterServiceClassExternalName"] = "redis";
    spec.erase("clusterServiceClassRef");
    spec.erase("clusterServicePlanRef");
  });
  settle();
  EXPECT_EQ(conditions(), "Ready=False:ClassCannotChange");
  EXPECT_EQ(broker.take_lines(), Lines());
  remove(kInstances, "mydb");
  finish();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_TRUE(broker.instances.empty()) << "what the broker had is what is ended";
}

}  // namespace
}  // namespace chandler::reconcilers::testing
