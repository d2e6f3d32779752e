// How instances end.
#include "reconcilers/instance/instance_story_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

using InstanceDeletionStory = InstanceStory;

TEST_F(InstanceDeletionStory, DeletionDoesNotWaitForAnAsynchronousProvision) {
  broker.async = true;
  broker.polls_needed = 1000;
  apply_instance("{" + kSmall + "}");
  settle();
  bool busy = true;
  broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
    if (call.method != osb::Method::kDeprovision) return std::nullopt;
    return busy ? std::optional(answer_of(422, "{error: ConcurrencyError}")) : answer_of(200);
  };
  remove(kInstances, "mydb");
  broker.calls.clear();
  settle();
  EXPECT_EQ(broker.take_lines(), Lines{"DeprovisionInstance id-mydb"}) << "at once";
  EXPECT_EQ(conditions(), "Ready=Unknown:DeprovisionCallFailed");
  busy = false;
  finish();
  EXPECT_EQ(conditions(), "gone");
}

TEST_F(InstanceDeletionStory, DeletionSaysWhyItIsStuckAndAbandonLetsGo) {
  provision();
  objects.remove(kClusterBrokers, "", "azure");
  remove(kInstances, "mydb");
  settle();
  EXPECT_EQ(conditions(), "Ready=False:ReferencesNonexistentBroker");
  EXPECT_NE(message().find("servicecatalog.kubernetes.io/abandon"), std::string::npos) << message();
  expect_quiet();
  annotate(kInstances, "mydb", kAbandonAnnotation, "true");
  settle();
  EXPECT_EQ(conditions(), "gone");
  const auto records = objects.list(kConfigMaps, {});
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(text_at(member(records[0].value(), "data"), "instanceID"), "id-mydb");
  EXPECT_EQ(text_at(member(records[0].value(), "data"), "broker"), "azure");
  EXPECT_EQ(text_at(member(records[0].value(), "data"), "serviceID"), "c1");
  EXPECT_TRUE(has_event("Abandoned", "id-mydb"));
}

TEST_F(InstanceDeletionStory, DeletionNeedsNeitherClassNorPlan) {
  provision();
  objects.remove(kClusterPlans, "", "p1");
  objects.remove(kClusterPlans, "", "p2");
  objects.remove(kClusterClasses, "", "c1");
  settle();
  remove(kInstances, "mydb");
  settle();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_TRUE(broker.instances.empty());
}

TEST_F(InstanceDeletionStory, DeletionOfWhatWasNeverSentAsksNobody) {
  apply_instance("{serviceType: nothing}");
  settle();
  remove(kInstances, "mydb");
  settle();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_EQ(broker.take_lines(), Lines());
}

TEST_F(InstanceDeletionStory, DeletionWaitsForBindings) {
  provision();
  apply_binding();
  settle();
  ASSERT_EQ(binding_conditions(), "Ready=True:InjectedBindResult");
  remove(kInstances, "mydb");
  settle();
  EXPECT_EQ(conditions(), "Ready=False:DeprovisionBlockedByExistingCredentials");
  EXPECT_NE(message().find("b"), std::string::npos);
  expect_quiet();
  remove(kBindings, "b");
  settle();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_EQ(binding_conditions(), "gone");
  EXPECT_TRUE(broker.instances.empty());
}

TEST_F(InstanceDeletionStory, DeletionCascades) {
  provision(", deletionPolicy: Cascade");
  apply_binding();
  apply_binding("{instanceRef: {name: mydb}}", "b2");
  settle();
  remove(kInstances, "mydb");
  settle();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_EQ(binding_conditions(), "gone");
  EXPECT_TRUE(broker.instances.empty());
  EXPECT_TRUE(has_event("ServiceBindingsDeletion"));
  EXPECT_NE(broker.recorded(osb::Method::kUnbind).find(R"("username":"bob")"), std::string::npos)
      << "who deleted the instance, not who made the binding: " << broker.recorded(osb::Method::kUnbind);
}

TEST_F(InstanceDeletionStory, ABindingThatWaitsHoldsUpNobody) {
  apply_binding();
  broker.script = [](const osb::Call& call) -> std::optional<osb::Answer> {
    return call.method == osb::Method::kProvision ? std::optional(answer_of(500)) : std::nullopt;
  };
  apply_instance("{" + kSmall + "}");
  settle();
  advance(std::chrono::minutes(1));
  EXPECT_EQ(conditions(), "Ready=False:OrphanMitigationSuccessful") << "cleaned up";
  EXPECT_EQ(binding_conditions(), "Ready=False:ErrorInstanceNotReady");
  broker.script = [](const osb::Call&) { return answer_of(503); };
  advance(std::chrono::minutes(1));
  remove(kInstances, "mydb");
  settle();
  broker.script = nullptr;
  finish();
  EXPECT_EQ(conditions(), "gone") << "the binding holds nothing";
  EXPECT_EQ(binding_conditions(), "Ready=False:ReferencesNonexistentInstance");
}

TEST_F(InstanceDeletionStory, DeletedWhileNobodyKnowsWhichPlanItHas) {
  for (const bool carried_out : {false, true}) {
    broker.script = nullptr;
    provision();
    broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
      auto& plan = broker.instances["id-mydb"].plan_id;
      if (call.method == osb::Method::kUpdate && carried_out) plan = "p2";
      if (call.method == osb::Method::kUpdate) return answer_of(500);
      // Wants to hear the plan that it has.
      if (call.method == osb::Method::kDeprovision && call.plan_id != plan) return answer_of(400);
      return std::nullopt;
    };
    change_plan("clusterServicePlanExternalName", "large");
    settle();
    remove(kInstances, "mydb");
    finish();
    EXPECT_EQ(conditions(), "gone") << carried_out;
    EXPECT_TRUE(broker.instances.empty()) << carried_out;
  }
}

TEST_F(InstanceDeletionStory, DeletedAtAnyMoment) {
  for (const bool async : {false, true}) {
    for (const int status : {200, 500, 400}) {
      for (int turns = 0; turns < 30; ++turns) {
        broker.async = async;
        broker.script = [=](const osb::Call& call) -> std::optional<osb::Answer> {
          return call.method == osb::Method::kProvision && status != 200 ? std::optional(answer_of(status))
                                                                         : std::nullopt;
        };
        apply_instance("{" + kSmall + "}");
        start();
        for (int i = 0; i < turns && engine->turn(); ++i) {
        }
        remove(kInstances, "mydb");
        finish();
        ASSERT_EQ(conditions(), "gone") << async << " " << status << " " << turns;
        ASSERT_TRUE(broker.instances.empty()) << async << " " << status << " " << turns;
      }
    }
  }
}

}  // namespace
}  // namespace chandler::reconcilers::testing
