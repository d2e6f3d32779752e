// Lives of instances in which processes die and answers get lost.
#include "reconcilers/instance/instance_story_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

using InstanceCrashStory = InstanceStory;

TEST_F(InstanceCrashStory, AnAnswerThatWasLostStrandsNothing) {
  // The broker made it, the process died, and then the broker refuses to talk.
  apply_instance("{" + kSmall + "}");
  start();
  while (broker.calls.empty()) engine->turn();
  ASSERT_EQ(broker.instances.size(), 1u);
  for (const int status : {429, 401}) {
    broker.script = [=](const osb::Call&) { return answer_of(status); };
    crash();
    settle();
    EXPECT_EQ(conditions(), "Ready=False:ProvisionCallFailed");
  }
  remove(kInstances, "mydb");
  broker.script = nullptr;
  finish();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_TRUE(broker.instances.empty());
}

TEST_F(InstanceCrashStory, ARefusalSaysNothingAboutAnAnswerThatWasLost) {
  apply_instance("{" + kSmall + "}");
  start();
  while (broker.calls.empty()) engine->turn();
  ASSERT_EQ(broker.instances.size(), 1u);
  broker.script = [](const osb::Call& call) -> std::optional<osb::Answer> {
    return call.method == osb::Method::kProvision ? std::optional(answer_of(400)) : std::nullopt;
  };
  crash();
  finish();
  EXPECT_EQ(conditions(), "Ready=False:OrphanMitigationSuccessful Failed=True:ClusterServiceBrokerReturnedFailure");
  EXPECT_TRUE(broker.instances.empty());
  expect_quiet();
}

TEST_F(InstanceCrashStory, WhatIsSomebodyElsesIsNeverRemoved) {
  broker.instances["id-mydb"] = {"c1", "p9", {}, {}};
  apply_instance("{" + kSmall + "}");
  start();
  while (broker.calls.empty()) engine->turn();
  crash();
  finish();
  EXPECT_EQ(conditions(), "Ready=False:ProvisionCallFailed Failed=True:ClusterServiceBrokerReturnedFailure");
  remove(kInstances, "mydb");
  finish();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_EQ(broker.instances.size(), 1u);
}

TEST_F(InstanceCrashStory, WhatAnEarlierRunLeftIsRemoved) {
  bool failed = true;  // an asynchronous provision whose 202 was lost, and which then failed
  own_ids = true;
  broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
    if (call.method == osb::Method::kDeprovision) failed = false;
    if (call.method == osb::Method::kProvision && failed) return answer_of(409);
    return std::nullopt;
  };
  apply_instance("{" + kSmall + "}");
  start();
  while (broker.calls.empty()) engine->turn();
  crash();
  finish();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  EXPECT_FALSE(failed);
}

TEST_F(InstanceCrashStory, WhatHasTheChosenIdAndIsNoInstanceIsRemovedOnlyWhenItMayBeOurs) {
  const std::string refused = "Ready=False:ProvisionCallFailed Failed=True:ClusterServiceBrokerReturnedFailure";
  const struct {
    const char* reason;
    bool crashes;
    osb::Answer operation;  // the last one
    bool removed;
    std::string conditions;
  } rows[] = {
      {"the provision that a dead run asked for has failed", true, answer_of(200, "{state: failed}"), true,
       "Ready=True:ProvisionedSuccessfully"},
      {"who has not asked before has left nothing", false, answer_of(200, "{state: failed}"), false, refused},
      {"somebody else's is being made", true, answer_of(200, "{state: in progress}"), false,
       "Ready=False:ProvisionCallFailed"},
      {"somebody else's is shown only under its own plan", true, answer_of(200, "{state: succeeded}"), false, refused},
      {"nothing is known of it", true, answer_of(404), false, refused},
      {"the broker does not tell", true, answer_of(400), false, refused},
  };
  apply_class("c1", "externalName: mysql, instanceRetrievable: true");
  for (const auto& row : rows) {
    SCOPED_TRACE(row.reason);
    bool is_there = true;
    broker.calls.clear();
    broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
      if (call.method == osb::Method::kDeprovision) is_there = false;
      if (call.method == osb::Method::kGetInstance) return answer_of(404);
      if (call.method == osb::Method::kPollInstance) return row.operation;
      if (call.method == osb::Method::kProvision && is_there) return answer_of(409);
      return std::nullopt;
    };
    apply_instance("{" + kSmall + "}");
    start();
    while (broker.calls.empty()) engine->turn();
    if (row.crashes) crash();
    const auto until = clock.now() + std::chrono::minutes(5);
    for (settle(); engine->next_due() && *engine->next_due() < until; settle())
      advance(*engine->next_due() - clock.now());
    EXPECT_EQ(is_there, !row.removed);
    EXPECT_EQ(conditions(), row.conditions);
    broker.script = nullptr;
    remove(kInstances, "mydb");
    finish();
    ASSERT_EQ(conditions(), "gone");
  }
}

TEST_F(InstanceCrashStory, AfterAnUpdateThatNobodyConfirmedTheBrokerIsToldEverything) {
  provision(", parameters: {a: 1}");
  broker.script = [](const osb::Call& call) -> std::optional<osb::Answer> {
    return call.method == osb::Method::kUpdate ? std::optional(answer_of(422)) : std::nullopt;
  };
  change_plan("clusterServicePlanExternalName", "large");
  settle();
  broker.instances["id-mydb"].plan_id = "p2";  // it did it all the same
  broker.script = nullptr;
  change_plan("clusterServicePlanExternalName", "small");
  settle();
  EXPECT_EQ(conditions(), "Ready=True:InstanceUpdatedSuccessfully");
  EXPECT_EQ(broker.instances["id-mydb"].plan_id, "p1");
  EXPECT_EQ(instance("status.unconfirmedProperties"), "null");
}

// The process dies after any number of pieces of work, twice.
TEST_F(InstanceCrashStory, CrashesLoseAndDoubleNothing) {
  for (const bool async : {false, true}) {
    for (int first = 0; first < 40; ++first) {
      broker.async = async;
      apply_instance("{" + kSmall + ", parameters: {a: 1}}");
      const auto live_through = [&] {
        start();
        for (int i = 0; i < first && engine->turn(); ++i) {
        }
        crash();
        for (int i = 0; i < first / 2 && engine->turn(); ++i) {
        }
        crash();
        finish();
      };
      live_through();
      ASSERT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully") << first;
      ASSERT_EQ(broker.instances.size(), 1u);
      edit_spec(kInstances, "mydb", [](json::Object& spec) {
        spec["clusterServicePlanExternalName"] = "large";
        spec["parameters"] = json::Object{{"a", 2}};
      });
      live_through();
      ASSERT_EQ(conditions(), "Ready=True:InstanceUpdatedSuccessfully") << first;
      ASSERT_EQ(broker.instances["id-mydb"].plan_id, "p2");
      ASSERT_EQ(json::write(broker.instances["id-mydb"].parameters), R"({"a":2})");
      expect_quiet();
      remove(kInstances, "mydb");
      live_through();
      ASSERT_EQ(conditions(), "gone") << first;
      ASSERT_TRUE(broker.instances.empty());
      ASSERT_EQ(broker.most_instances, 1u);
    }
  }
}

}  // namespace
}  // namespace chandler::reconcilers::testing
