// What each answer of a broker leads to, for instances: conditions in their order, deprovisionStatus, the operation
// that stays under way, and what happens next.
#include <map>

#include "reconcilers/answer_rows.h"
#include "reconcilers/reconciler_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

const std::string kSmall = "{clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: small}";

class InstanceAnswers : public AnswerStory {
 protected:
  InstanceAnswers() { register_catalog(); }

  std::string summary() const {
    return conditions() == "gone" ? "gone"
                                  : fmt::format("{} | {} | {} | {}", conditions(), instance("status.deprovisionStatus"),
                                                instance("status.currentOperation"), next());
  }
  void provision() {
    apply_instance(kSmall);
    settle();
    ASSERT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  }
};

struct World : InstanceAnswers {
  void TestBody() override {}
  using InstanceAnswers::accept_and_answer;
  using InstanceAnswers::answer;
  using InstanceAnswers::broker;
  using InstanceAnswers::instance;
  using InstanceAnswers::provision;
  using InstanceAnswers::summary;
  using InstanceAnswers::warning_reasons;
  void begin_provision() { apply_instance(kSmall), settle(); }
  void begin_update() { provision(), change_plan("clusterServicePlanExternalName", "large"), settle(); }
  void begin_removal() { provision(), remove(kInstances, "mydb"), settle(); }
  void after(std::chrono::seconds by) { advance(by); }
};

using Meanings = std::map<std::string, std::string>;

TEST(InstanceAnswerTable, Provision) {
  const Meanings meanings{
      {"done", R"(Ready=True:ProvisionedSuccessfully | "Required" | null | rest)"},
      {"poll", R"(Ready=False:Provisioning | "Required" | "Provision" | wait)"},
      {"reject",
       R"(Ready=False:ProvisionCallFailed Failed=True:ClusterServiceBrokerReturnedFailure | "NotRequired" | null | rest)"},
      // Required: the answer to an earlier attempt may have been lost.
      {"retry", R"(Ready=False:ProvisionCallFailed | "Required" | "Provision" | wait)"},
      {"retry!", R"(Ready=False:ErrorCallingProvision | "Required" | "Provision" | wait)"},
      {"clean up",
       R"(Ready=False:StartingInstanceOrphanMitigation OrphanMitigation=True:ProvisionCallFailed | "Required" | "Provision" | DeprovisionInstance)"},
      {"clean up!",
       R"(Ready=False:StartingInstanceOrphanMitigation OrphanMitigation=True:ErrorCallingProvision | "Required" | "Provision" | DeprovisionInstance)"},
      // It may still arrive, and must not do so after its removal.
      {"clean up later",
       R"(Ready=False:StartingInstanceOrphanMitigation OrphanMitigation=True:ErrorCallingProvision | "Required" | "Provision" | wait long)"}};
  for (const auto& row : answer_rows()) {
    World world;
    world.answer(osb::Method::kProvision, row.answer);
    world.begin_provision();
    EXPECT_EQ(world.summary(), meanings.at(row.provision)) << row.name << ": " << row.reason;
  }
}

// Scripts wait for the events of every condition that a failure sets.
TEST(InstanceAnswerTable, Events) {
  struct Row {
    osb::Method method;
    osb::Answer answer;
    std::string want;
  };
  const auto kTimeout = http::ClientFailure::Kind::kTimeout;
  const auto kConnect = http::ClientFailure::Kind::kConnect;
  for (const Row& row : std::vector<Row>{
           {osb::Method::kProvision, answer_of(400), "ClusterServiceBrokerReturnedFailure ProvisionCallFailed"},
           {osb::Method::kProvision, answer_of(409), "ClusterServiceBrokerReturnedFailure ProvisionCallFailed"},
           {osb::Method::kProvision, answer_of(429), "ProvisionCallFailed RetryBackoff"},
           {osb::Method::kProvision, no_answer(kConnect, false), "ErrorCallingProvision RetryBackoff"},
           {osb::Method::kProvision, answer_of(500), "ProvisionCallFailed StartingInstanceOrphanMitigation"},
           {osb::Method::kProvision, no_answer(kTimeout), "ErrorCallingProvision StartingInstanceOrphanMitigation"},
           {osb::Method::kUpdate, answer_of(400), "UpdateInstanceCallFailed"},
           {osb::Method::kUpdate, answer_of(500), "RetryBackoff UpdateInstanceCallFailed"},
           {osb::Method::kUpdate, no_answer(kConnect, false), "ErrorCallingUpdateInstance RetryBackoff"},
           {osb::Method::kDeprovision, answer_of(500), "DeprovisionCallFailed"}}) {
    World world;
    world.answer(row.method, row.answer);
    if (row.method == osb::Method::kProvision) world.begin_provision();
    if (row.method == osb::Method::kUpdate) world.begin_update();
    if (row.method == osb::Method::kDeprovision) world.begin_removal();
    EXPECT_EQ(world.warning_reasons(), row.want) << osb::method_name(row.method) << " " << row.answer.status;
  }
  World world;
  world.accept_and_answer(osb::Method::kProvision, answer_of(200, "{state: failed}"));
  world.begin_provision();
  world.after(std::chrono::seconds(1));
  EXPECT_EQ(world.warning_reasons(), "ProvisionCallFailed StartingInstanceOrphanMitigation");
}

TEST_F(InstanceAnswers, ACleanUpIsFollowedByAPause) {
  broker.script = [n = 0](const osb::Call& call) mutable -> std::optional<osb::Answer> {
    return call.method == osb::Method::kProvision && n++ == 0 ? std::optional(answer_of(500)) : std::nullopt;
  };
  apply_instance(kSmall);
  settle();
  advance(std::chrono::seconds(60));  // until the second deletion
  ASSERT_EQ(conditions(), "Ready=False:OrphanMitigationSuccessful");
  EXPECT_EQ(warning_reasons(), "ProvisionCallFailed RetryBackoff StartingInstanceOrphanMitigation");
  finish();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
}

TEST(InstanceAnswerTable, Update) {
  const Meanings meanings{
      {"done", R"(Ready=True:InstanceUpdatedSuccessfully | "Required" | null | rest)"},
      {"poll", R"(Ready=False:UpdatingInstance | "Required" | "Update" | wait)"},
      {"reject",
       R"(Ready=False:UpdateInstanceCallFailed Failed=True:UpdateInstanceCallFailed | "Required" | null | rest)"},
      {"retry", R"(Ready=False:UpdateInstanceCallFailed | "Required" | "Update" | wait)"},
      {"retry!", R"(Ready=False:ErrorCallingUpdateInstance | "Required" | "Update" | wait)"}};
  for (const auto& row : answer_rows()) {
    World world;
    world.answer(osb::Method::kUpdate, row.answer);
    world.begin_update();
    EXPECT_EQ(world.summary(), meanings.at(row.update)) << row.name << ": " << row.reason;
    EXPECT_EQ(world.instance("status.externalProperties.clusterServicePlanExternalID"),
              row.update == "done" ? R"("p2")" : R"("p1")")
        << row.name << ": what the broker has changes only when it says so";
  }
}

TEST(InstanceAnswerTable, Deprovision) {
  const Meanings meanings{
      {"done", "gone"},
      {"poll", R"(Ready=False:Deprovisioning | "Required" | "Deprovision" | wait)"},
      {"retry", R"(Ready=Unknown:DeprovisionCallFailed | "Required" | "Deprovision" | wait)"},
      {"reject", R"(Ready=Unknown:DeprovisionCallFailed | "Required" | "Deprovision" | wait long)"}};
  for (const auto& row : answer_rows()) {
    World world;
    world.answer(osb::Method::kDeprovision, row.answer);
    world.begin_removal();
    EXPECT_EQ(world.summary(), meanings.at(row.remove)) << row.name << ": " << row.reason;
  }
}

TEST(InstanceAnswerTable, Polls) {
  struct Operation {
    void (World::*begin)();
    osb::Method method;
    bool is_removal;
    Meanings meanings;
  };
  const Operation operations[] = {
      {&World::begin_provision,
       osb::Method::kProvision,
       false,
       {{"goes on", R"(Ready=False:Provisioning | "Required" | "Provision" | wait)"},
        {"invalid", R"(Ready=False:ErrorPollingLastOperation | "Required" | "Provision" | wait)"},
        {"done", R"(Ready=True:ProvisionedSuccessfully | "Required" | null | rest)"},
        {"failed",
         R"(Ready=False:StartingInstanceOrphanMitigation Failed=True:ProvisionCallFailed OrphanMitigation=True:ProvisionCallFailed | "Required" | "Provision" | DeprovisionInstance)"}}},
      {&World::begin_update,
       osb::Method::kUpdate,
       false,
       {{"goes on", R"(Ready=False:UpdatingInstance | "Required" | "Update" | wait)"},
        {"invalid", R"(Ready=False:ErrorPollingLastOperation | "Required" | "Update" | wait)"},
        {"done", R"(Ready=True:InstanceUpdatedSuccessfully | "Required" | null | rest)"},
        {"failed",
         R"(Ready=False:UpdateInstanceCallFailed Failed=True:UpdateInstanceCallFailed | "Required" | null | rest)"}}},
      {&World::begin_removal,
       osb::Method::kDeprovision,
       true,
       {{"goes on", R"(Ready=False:Deprovisioning | "Required" | "Deprovision" | wait)"},
        {"invalid", R"(Ready=False:ErrorPollingLastOperation | "Required" | "Deprovision" | wait)"},
        {"done", "gone"},
        {"again", R"(Ready=Unknown:DeprovisionCallFailed | "Required" | "Deprovision" | wait)"}}}};
  for (const auto& row : poll_rows()) {
    for (const auto& operation : operations) {
      World world;
      world.accept_and_answer(operation.method, row.answer);
      (world.*operation.begin)();
      world.after(std::chrono::seconds(1));
      EXPECT_EQ(world.summary(), operation.meanings.at(operation.is_removal ? row.removing : row.making))
          << row.name << " of " << osb::method_name(operation.method) << ": " << row.reason;
    }
  }
}

// 410 is no valid answer about what is being made. But it must not keep us asking for a week.
TEST_F(InstanceAnswers, GoneIsBelievedWhenItIsSaidForAMinute) {
  accept_and_poll(osb::Method::kProvision, {answer_of(410)});
  apply_instance(kSmall);
  const auto begin = clock.now();
  settle();
  advance(std::chrono::seconds(30));
  EXPECT_EQ(conditions(), "Ready=False:ErrorPollingLastOperation");
  finish();
  EXPECT_EQ(conditions(), "Ready=False:OrphanMitigationSuccessful Failed=True:ProvisionCallFailed");
  EXPECT_EQ(message(kInstances, "mydb", kFailed), "The broker keeps answering that it is gone.");
  EXPECT_LT(clock.now() - begin, std::chrono::minutes(5));
  EXPECT_EQ(instance("status.retry"), "null");
  expect_quiet();
}

TEST_F(InstanceAnswers, GoneDuringAnUpdateEndsTheUpdate) {
  provision();
  accept_and_poll(osb::Method::kUpdate, {answer_of(410)});
  change_plan("clusterServicePlanExternalName", "large");
  finish();
  EXPECT_EQ(summary(),
            R"(Ready=False:UpdateInstanceCallFailed Failed=True:UpdateInstanceCallFailed | "Required" | null | rest)");
}

TEST_F(InstanceAnswers, GoneIsForgottenWhenTheBrokerSaysSomethingElse) {
  const auto in_progress = answer_of(200, "{state: in progress}");
  std::vector<osb::Answer> answers(5, answer_of(410));
  answers.push_back(in_progress);
  answers.insert(answers.end(), 1, answer_of(410));
  answers.push_back(answer_of(200, "{state: succeeded}"));
  accept_and_poll(osb::Method::kProvision, answers);
  apply_instance(kSmall);
  settle();
  for (int i = 0; i < 5; ++i) advance(*engine->next_due() - clock.now());
  EXPECT_NE(instance("status.retry.goneSince"), "null");
  advance(*engine->next_due() - clock.now());
  EXPECT_EQ(instance("status.retry.goneSince"), "null");
  finish();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
}

TEST_F(InstanceAnswers, RetryAfterIsObeyed) {
  auto slow = answer_of(429);
  slow.retry_after = std::chrono::seconds(600);
  answer(osb::Method::kProvision, slow);
  apply_instance(kSmall);
  settle();
  EXPECT_GE(*engine->next_due() - clock.now(), std::chrono::seconds(600));
  EXPECT_EQ(instance("status.retry.attempts"), "1");
  EXPECT_EQ(instance("status.retry.lastError"), R"("the broker answered 429")");
  EXPECT_EQ(message(), "The broker answered 429. It will be retried.");
  const auto due = *engine->next_due();
  crash();
  settle();
  EXPECT_EQ(*engine->next_due(), due) << "a restart changes nothing";
}

TEST_F(InstanceAnswers, RetryAfterHoldsForTheCleanUpToo) {
  auto overloaded = answer_of(503);
  overloaded.retry_after = std::chrono::seconds(300);
  answer(osb::Method::kProvision, overloaded);
  apply_instance(kSmall);
  settle();
  EXPECT_EQ(conditions(), "Ready=False:StartingInstanceOrphanMitigation OrphanMitigation=True:ProvisionCallFailed");
  EXPECT_TRUE(broker.held.empty()) << "it asked to be left alone";
  EXPECT_EQ(*engine->next_due() - clock.now(), std::chrono::seconds(300));
}

TEST_F(InstanceAnswers, RetryAfterOfPollsIsObeyed) {
  broker.script = [](const osb::Call& call) -> std::optional<osb::Answer> {
    auto answer = call.method == osb::Method::kPollInstance ? answer_of(200, "{state: in progress}")
                                                            : answer_of(202, "{operation: op}");
    answer.retry_after = std::chrono::seconds(call.method == osb::Method::kPollInstance ? 300 : 100);
    return answer;
  };
  apply_instance(kSmall);
  settle();
  EXPECT_EQ(*engine->next_due() - clock.now(), std::chrono::seconds(100));
  advance(std::chrono::seconds(100));
  EXPECT_EQ(*engine->next_due() - clock.now(), std::chrono::seconds(300));
}

TEST_F(InstanceAnswers, PollingEndsWhenThePlanSaysSo) {
  apply_plan("p1", "externalName: small, maximumPollingDuration: 120");
  int refusals = 300;
  broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
    if (call.method == osb::Method::kProvision) return refusals-- > 0 ? answer_of(429) : answer_of(202);
    if (call.method == osb::Method::kPollInstance) return answer_of(200, "{state: in progress}");
    return std::nullopt;
  };
  apply_instance(kSmall);
  settle();
  advance(std::chrono::hours(1));
  refusals = 0;
  advance(std::chrono::hours(1));
  ASSERT_EQ(conditions(), "Ready=False:Provisioning");
  advance(std::chrono::seconds(2));
  EXPECT_EQ(conditions(), "Ready=False:Provisioning") << "the hours before it was accepted do not count";
  finish();
  EXPECT_EQ(conditions(), "Ready=False:OrphanMitigationSuccessful Failed=True:ErrorReconciliationRetryTimeout");
  EXPECT_EQ(instance("status.retry"), "null") << "nothing is pending";
  expect_quiet();
}

TEST_F(InstanceAnswers, RemovalThatAlwaysFailsLaterIsRepeatedEverMoreSlowly) {
  provision();
  broker.script = [](const osb::Call& call) -> std::optional<osb::Answer> {
    if (call.method == osb::Method::kDeprovision) return answer_of(202, "{operation: op}");
    return answer_of(200, "{state: failed, description: disk on fire}");
  };
  remove(kInstances, "mydb");
  broker.calls.clear();
  settle();
  const auto until = clock.now() + std::chrono::hours(24);
  while (clock.now() < until || conditions() != "Ready=Unknown:DeprovisionCallFailed")
    advance(*engine->next_due() - clock.now());
  EXPECT_LT(broker.calls.size(), 250u) << "a broker is not flooded";
  EXPECT_NE(message().find("disk on fire"), std::string::npos) << message();
  EXPECT_NE(message().find("servicecatalog.kubernetes.io/abandon"), std::string::npos) << message();
}

TEST_F(InstanceAnswers, AConflictIsLookedInto) {
  apply_class("c1", "externalName: mysql, instanceRetrievable: true");
  answer(osb::Method::kProvision, answer_of(409));
  apply_instance(kSmall);
  settle();
  EXPECT_EQ(next(), "GetInstance");
}

TEST_F(InstanceAnswers, AConflictWithItselfIsSuccess) {
  apply_class("c1", "externalName: mysql, instanceRetrievable: true");
  broker.instances["id-mydb"] = {"c1", "p1", {}, {}};
  broker.script = [](const osb::Call& call) -> std::optional<osb::Answer> {
    return call.method == osb::Method::kProvision ? std::optional(answer_of(409)) : std::nullopt;
  };
  apply_instance(kSmall);
  settle();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
}

TEST_F(InstanceAnswers, AConflictWithSomethingElseIsLeftAlone) {
  apply_class("c1", "externalName: mysql, instanceRetrievable: true");
  broker.instances["id-mydb"] = {"c1", "p9", {}, {}};
  apply_instance(kSmall);
  settle();
  EXPECT_EQ(conditions(), "Ready=False:ProvisionCallFailed Failed=True:ClusterServiceBrokerReturnedFailure");
  remove(kInstances, "mydb");
  settle();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_EQ(broker.instances.size(), 1u) << "it is somebody else's";
}

TEST_F(InstanceAnswers, AConflictWithOtherParametersIsLeftAlone) {
  apply_class("c1", "externalName: mysql, instanceRetrievable: true");
  const std::pair<std::string, std::string> rows[] = {{"a", "{hidden: 1}"}, {"b", "{size: 1}"}, {"c", "{size: 2}"}};
  for (const auto& [name, shown] : rows) {
    broker.script = [shown = shown](const osb::Call& call) -> std::optional<osb::Answer> {
      if (call.method == osb::Method::kProvision) return answer_of(409);
      return answer_of(200, fmt::format("{{service_id: c1, plan_id: p1, parameters: {}}}", shown));
    };
    apply_instance(
        "{clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: small, parameters: {size: 1}}", name);
    settle();
  }
  EXPECT_EQ(conditions(kInstances, "a"), "Ready=True:ProvisionedSuccessfully") << "not all need be shown";
  EXPECT_EQ(conditions(kInstances, "b"), "Ready=True:ProvisionedSuccessfully");
  EXPECT_EQ(conditions(kInstances, "c"),
            "Ready=False:ProvisionCallFailed Failed=True:ClusterServiceBrokerReturnedFailure");
}

TEST_F(InstanceAnswers, AnUpdateThatCannotSucceedIsNotRepeated) {
  provision();
  answer(osb::Method::kUpdate, answer_of(500, "{update_repeatable: false, instance_usable: false}"));
  change_plan("clusterServicePlanExternalName", "large");
  settle();
  EXPECT_EQ(summary(),
            R"(Ready=False:UpdateInstanceCallFailed Failed=True:UpdateInstanceCallFailed | "Required" | null | rest)");
  EXPECT_EQ(instance("status.instanceUsable"), "false");
  broker.hold = false;
  broker.script = nullptr;
  change_plan("clusterServicePlanExternalName", "small");
  settle();
  EXPECT_EQ(summary(), R"(Ready=True:InstanceUpdatedSuccessfully | "Required" | null | rest)");
  EXPECT_EQ(instance("status.instanceUsable"), "null") << "repaired";
}

TEST_F(InstanceAnswers, GivesUpAfterAWeekAndSaysSo) {
  broker.script = [](const osb::Call&) { return no_answer(http::ClientFailure::Kind::kConnect, false); };
  apply_instance(kSmall);
  finish(3000);
  EXPECT_EQ(conditions(), "Ready=False:ErrorCallingProvision Failed=True:ErrorReconciliationRetryTimeout");
  expect_quiet();
  broker.script = nullptr;
  edit_spec(kInstances, "mydb", [](json::Object& spec) { spec["updateRequests"] = 1; });
  finish();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully") << "a changed spec is tried";
}

TEST_F(InstanceAnswers, WhatWasGivenUpIsStillEndedAtTheBroker) {
  broker.script = [](const osb::Call&) { return no_answer(http::ClientFailure::Kind::kConnect, false); };
  apply_instance(kSmall);
  finish(3000);
  ASSERT_EQ(conditions(), "Ready=False:ErrorCallingProvision Failed=True:ErrorReconciliationRetryTimeout");
  broker.script = nullptr;
  broker.calls.clear();
  for (const auto* id : {"p1", "p2"}) objects.remove(kClusterPlans, "", id);
  remove(kInstances, "mydb");
  finish();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_EQ(broker.take_lines(), Lines{"DeprovisionInstance id-mydb"});
}

}  // namespace
}  // namespace chandler::reconcilers::testing
