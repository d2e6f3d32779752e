// Lives of instances whose requests fail, or whose specs change under way.
#include "reconcilers/instance/instance_story_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

using InstanceFailureStory = InstanceStory;

TEST_F(InstanceFailureStory, AFailureIsCleanedUpAndTriedAgain) {
  int failures = 3;
  broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
    if (call.method != osb::Method::kProvision || failures-- <= 0) return std::nullopt;
    broker.instances["id-mydb"] = {"c1", "p1", {}, {}};  // it did it all the same
    return answer_of(500);
  };
  apply_instance("{" + kSmall + "}");
  settle();
  EXPECT_EQ(conditions(), "Ready=False:RemovalRepeated OrphanMitigation=True:ProvisionCallFailed");
  EXPECT_TRUE(broker.instances.empty());
  expect_quiet();
  advance(std::chrono::seconds(60));
  EXPECT_EQ(conditions(), "Ready=False:OrphanMitigationSuccessful");
  EXPECT_EQ(instance("status.retry.rounds"), "1");
  EXPECT_EQ(instance("status.deprovisionStatus"), R"("NotRequired")");
  expect_quiet();
  finish();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  EXPECT_EQ(instance("status.retry"), "null");
  EXPECT_EQ(broker.most_instances, 1u);
}

TEST_F(InstanceFailureStory, AnAsynchronousCleanUp) {
  int failures = 1;
  broker.async = true;
  broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
    if (call.method != osb::Method::kProvision || failures-- <= 0) return std::nullopt;
    broker.instances["id-mydb"] = {"c1", "p1", {}, {}};
    return no_answer(http::ClientFailure::Kind::kTimeout);
  };
  apply_instance("{" + kSmall + "}");
  settle();
  EXPECT_EQ(conditions(), "Ready=False:StartingInstanceOrphanMitigation OrphanMitigation=True:ErrorCallingProvision")
      << "the request may still arrive";
  advance(std::chrono::seconds(60));
  EXPECT_EQ(conditions(), "Ready=False:Deprovisioning OrphanMitigation=True:ErrorCallingProvision");
  EXPECT_EQ(instance("status.currentOperation"), R"("Provision")");
  finish();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  EXPECT_EQ(broker.most_instances, 1u);
}

TEST_F(InstanceFailureStory, ABrokerThatAlwaysFailsIsNotFlooded) {
  broker.script = [](const osb::Call& call) -> std::optional<osb::Answer> {
    return call.method == osb::Method::kProvision ? std::optional(answer_of(500)) : std::nullopt;
  };
  apply_instance("{" + kSmall + "}");
  settle();
  const auto until = clock.now() + std::chrono::hours(24);
  while (clock.now() < until) advance(*engine->next_due() - clock.now());
  EXPECT_LT(broker.calls.size(), 275u);
}

TEST_F(InstanceFailureStory, RefusedThenRepairedByTheUser) {
  broker.script = [](const osb::Call&) { return answer_of(400, "{description: the plan is sold out}"); };
  apply_instance("{" + kSmall + "}");
  settle();
  EXPECT_EQ(conditions(), "Ready=False:ProvisionCallFailed Failed=True:ClusterServiceBrokerReturnedFailure");
  EXPECT_NE(message().find("sold out"), std::string::npos);
  EXPECT_EQ(instance("status.lastConditionState"), R"("Failed")");
  expect_quiet();
  broker.script = nullptr;
  change_plan("clusterServicePlanExternalName", "large");
  settle();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  EXPECT_EQ(broker.instances["id-mydb"].plan_id, "p2");
}

TEST_F(InstanceFailureStory, ASpecChangedDuringTheRequestIsNotForgotten) {
  broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
    if (call.method == osb::Method::kProvision && broker.calls.size() == 1) {
      edit_spec(kInstances, "mydb", [](json::Object& spec) { spec["parameters"] = json::Object{{"a", 1}}; });
      return answer_of(400);
    }
    return std::nullopt;
  };
  apply_instance("{" + kSmall + "}");
  finish();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully") << "only the old spec was refused";
  EXPECT_EQ(json::write(broker.instances["id-mydb"].parameters), R"({"a":1})");
}

TEST_F(InstanceFailureStory, ASpecChangedWhileTheBrokerWorksFollowsAfterwards) {
  broker.async = true;
  apply_instance("{" + kSmall + "}");
  settle();
  change_plan("clusterServicePlanExternalName", "large");
  finish();
  EXPECT_EQ(conditions(), "Ready=True:InstanceUpdatedSuccessfully");
  EXPECT_EQ(broker.instances["id-mydb"].plan_id, "p2");
  EXPECT_EQ(broker.most_instances, 1u);
}

// On a cluster without our rules somebody may write between our two writes.
TEST_F(InstanceFailureStory, ASpecChangedBeforeItWasCompleted) {
  for (int turns = 1; turns < 12; ++turns) {
    apply_instance("{" + kSmall + "}");
    start();
    for (int i = 0; i < turns; ++i) engine->turn();
    edit_spec(kInstances, "mydb", [](json::Object& spec) {
      spec["clusterServicePlanExternalName"] = "large";
      spec.erase("clusterServicePlanRef");
    });
    finish();
    EXPECT_EQ(broker.instances["id-mydb"].plan_id, "p2") << turns << " " << all_conditions();
    EXPECT_EQ(instance("spec.clusterServicePlanRef.name"), R"("p2")") << turns;
    EXPECT_EQ(broker.most_instances, 1u);
    remove(kInstances, "mydb");
    finish();
    ASSERT_EQ(conditions(), "gone");
  }
}

TEST_F(InstanceFailureStory, AWaitingRetryEndsWhenTheSpecChanges) {
  broker.script = [](const osb::Call&) { return answer_of(429); };
  apply_instance("{" + kSmall + "}");
  settle();
  advance(std::chrono::hours(3));
  advance(std::chrono::hours(3));
  broker.script = nullptr;
  broker.calls.clear();
  edit_spec(kInstances, "mydb", [](json::Object& spec) { spec["parameters"] = json::Object{{"a", 1}}; });
  settle();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully") << "without waiting for the old delay";
  EXPECT_EQ(broker.most_instances, 1u);
}

TEST_F(InstanceFailureStory, ParametersFromSecretsThatChangeBetweenRetriesAreSettledFirst) {
  apply_secret("params", "json", R"({"p":"s3cret"})");
  bool lost = true;
  broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
    if (call.method != osb::Method::kProvision || !lost) return std::nullopt;
    broker.instances["id-mydb"] = {"c1", "p1", call.body.at("parameters"), {}};
    return malformed(200);
  };
  apply_instance("{" + kSmall + ", parametersFrom: [{secretKeyRef: {name: params, key: json}}]}");
  settle();
  lost = false;
  apply_secret("params", "json", R"({"p":"s3cret2"})");
  broker.calls.clear();
  finish();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  EXPECT_EQ(broker.take_lines(), (Lines{"DeprovisionInstance id-mydb", "ProvisionInstance id-mydb"}));
  EXPECT_EQ(json::write(broker.instances["id-mydb"].parameters), R"({"p":"s3cret2"})");
}

}  // namespace
}  // namespace chandler::reconcilers::testing
