// What each answer of a broker leads to, for bindings: conditions in their order, unbindStatus, the operation that
// stays under way, and what happens next.
#include <map>

#include "reconcilers/answer_rows.h"
#include "reconcilers/reconciler_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

class BindingAnswers : public AnswerStory {
 protected:
  explicit BindingAnswers(std::string_view of_class = "") {
    register_catalog();
    if (!of_class.empty()) apply_class("c1", fmt::format("externalName: mysql, {}", of_class));
    apply_instance("{clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: small}");
    settle();
  }
  std::string summary() const {
    return binding_conditions() == "gone"
               ? "gone"
               : fmt::format("{} | {} | {} | {}", binding_conditions(), binding("status.unbindStatus"),
                             binding("status.currentOperation"), next());
  }
};

struct World : BindingAnswers {
  explicit World(std::string_view of_class = "") : BindingAnswers(of_class) {}
  void TestBody() override {}
  using BindingAnswers::accept_and_answer;
  using BindingAnswers::answer;
  using BindingAnswers::broker;
  using BindingAnswers::summary;
  using BindingAnswers::warning_reasons;
  void begin_bind() { apply_binding(), settle(); }
  void begin_unbind() { begin_bind(), remove(kBindings, "b"), settle(); }
  void after(std::chrono::seconds by) { advance(by); }
};

using Meanings = std::map<std::string, std::string>;

TEST(BindingAnswerTable, Bind) {
  const Meanings meanings{
      {"done", R"(Ready=True:InjectedBindResult | "Required" | null | rest)"},
      {"poll", R"(Ready=False:Binding | "Required" | "Bind" | wait)"},
      {"reject",
       R"(Ready=False:BindCallFailed Failed=True:ServiceBindingReturnedFailure | "NotRequired" | null | rest)"},
      // Required: the answer to an earlier attempt may have been lost.
      {"retry", R"(Ready=False:BindCallFailed | "Required" | "Bind" | wait)"},
      {"retry!", R"(Ready=False:BindCallFailed | "Required" | "Bind" | wait)"},
      {"clean up",
       R"(Ready=False:ServiceBindingNeedsOrphanMitigation OrphanMitigation=True:BindCallFailed | "Required" | "Bind" | Unbind)"},
      {"clean up!",
       R"(Ready=False:ServiceBindingNeedsOrphanMitigation OrphanMitigation=True:BindCallFailed | "Required" | "Bind" | Unbind)"},
      // It may still arrive, and must not do so after its removal.
      {"clean up later",
       R"(Ready=False:ServiceBindingNeedsOrphanMitigation OrphanMitigation=True:BindCallFailed | "Required" | "Bind" | wait long)"}};
  for (const auto& row : answer_rows()) {
    World world;
    world.answer(osb::Method::kBind, row.answer);
    world.begin_bind();
    EXPECT_EQ(world.summary(), meanings.at(row.bind)) << row.name << ": " << row.reason;
  }
}

// Scripts wait for the events of every condition that a failure sets.
TEST(BindingAnswerTable, Events) {
  struct Row {
    osb::Method method;
    osb::Answer answer;
    std::string want;
  };
  for (const Row& row :
       std::vector<Row>{{osb::Method::kBind, answer_of(400), "BindCallFailed ServiceBindingReturnedFailure"},
                        {osb::Method::kBind, answer_of(409), "BindCallFailed ServiceBindingReturnedFailure"},
                        {osb::Method::kBind, answer_of(429), "BindCallFailed"},
                        {osb::Method::kBind, answer_of(500), "BindCallFailed ServiceBindingNeedsOrphanMitigation"},
                        {osb::Method::kUnbind, answer_of(500), "UnbindCallFailed"}}) {
    World world;
    world.answer(row.method, row.answer);
    if (row.method == osb::Method::kBind) world.begin_bind();
    if (row.method == osb::Method::kUnbind) world.begin_unbind();
    EXPECT_EQ(world.warning_reasons(), row.want) << osb::method_name(row.method) << " " << row.answer.status;
  }
}

TEST(BindingAnswerTable, Unbind) {
  const Meanings meanings{{"done", "gone"},
                          {"poll", R"(Ready=False:Unbinding | "Required" | "Unbind" | wait)"},
                          {"retry", R"(Ready=Unknown:UnbindCallFailed | "Required" | "Unbind" | wait)"},
                          {"reject", R"(Ready=Unknown:UnbindCallFailed | "Required" | "Unbind" | wait long)"}};
  for (const auto& row : answer_rows()) {
    World world;
    world.answer(osb::Method::kUnbind, row.answer);
    world.begin_unbind();
    EXPECT_EQ(world.summary(), meanings.at(row.remove)) << row.name << ": " << row.reason;
  }
}

TEST(BindingAnswerTable, Polls) {
  const Meanings of_bind{
      {"goes on", R"(Ready=False:Binding | "Required" | "Bind" | wait)"},
      {"invalid", R"(Ready=False:ErrorPollingLastOperation | "Required" | "Bind" | wait)"},
      {"done", R"(Ready=False:Binding | "Required" | "Bind" | GetBinding)"},  // the credentials are fetched
      {"failed",
       R"(Ready=False:ServiceBindingNeedsOrphanMitigation Failed=True:BindCallFailed OrphanMitigation=True:BindCallFailed | "Required" | "Bind" | Unbind)"}};
  const Meanings of_unbind{{"goes on", R"(Ready=False:Unbinding | "Required" | "Unbind" | wait)"},
                           {"invalid", R"(Ready=False:ErrorPollingLastOperation | "Required" | "Unbind" | wait)"},
                           {"done", "gone"},
                           {"again", R"(Ready=Unknown:UnbindCallFailed | "Required" | "Unbind" | wait)"}};
  for (const auto& row : poll_rows()) {
    const auto expect = [&](void (World::*begin)(), osb::Method method, const std::string& expected) {
      World world("bindingRetrievable: true");
      world.accept_and_answer(method, row.answer);
      (world.*begin)();
      world.after(std::chrono::seconds(1));
      EXPECT_EQ(world.summary(), expected) << row.name << " of " << osb::method_name(method) << ": " << row.reason;
    };
    expect(&World::begin_bind, osb::Method::kBind, of_bind.at(row.making));
    expect(&World::begin_unbind, osb::Method::kUnbind, of_unbind.at(row.removing));
  }
}

TEST_F(BindingAnswers, GoneIsBelievedWhenItIsSaidForAMinute) {
  apply_class("c1", "externalName: mysql, bindingRetrievable: true");
  accept_and_poll(osb::Method::kBind, {answer_of(410)});
  apply_binding();
  const auto begin = clock.now();
  finish();
  EXPECT_EQ(binding_conditions(), "Ready=False:OrphanMitigationSuccessful Failed=True:BindCallFailed");
  EXPECT_LT(clock.now() - begin, std::chrono::minutes(5));
  expect_quiet();
}

TEST_F(BindingAnswers, WhatWasGivenUpIsStillEndedAtTheBroker) {
  broker.script = [](const osb::Call&) { return no_answer(http::ClientFailure::Kind::kConnect, false); };
  apply_binding();
  finish(3000);
  ASSERT_EQ(binding_conditions(), "Ready=False:BindCallFailed Failed=True:ErrorReconciliationRetryTimeout");
  broker.script = nullptr;
  broker.calls.clear();
  remove(kBindings, "b");
  finish();
  EXPECT_EQ(binding_conditions(), "gone");
  EXPECT_EQ(broker.take_lines(), Lines{"Unbind id-mydb/id-b"});
}

TEST_F(BindingAnswers, RetriesLikeAProvision) {
  int failures = 3;
  broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
    if (call.method != osb::Method::kBind || failures-- <= 0) return std::nullopt;
    broker.instances["id-mydb"].bindings["id-b"] = json::Value();
    return answer_of(500);
  };
  apply_binding();
  settle();
  EXPECT_EQ(binding_conditions(), "Ready=False:RemovalRepeated OrphanMitigation=True:BindCallFailed");
  EXPECT_TRUE(broker.instances["id-mydb"].bindings.empty());
  advance(std::chrono::seconds(60));
  EXPECT_EQ(binding_conditions(), "Ready=False:OrphanMitigationSuccessful");
  EXPECT_EQ(binding("status.retry.rounds"), "1");
  expect_quiet();
  finish();
  EXPECT_EQ(binding_conditions(), "Ready=True:InjectedBindResult");
  EXPECT_EQ(binding("status.retry"), "null");
}

TEST_F(BindingAnswers, PollingEndsWhenThePlanSaysSo) {
  apply_class("c1", "externalName: mysql, bindingRetrievable: true");
  apply_plan("p1", "externalName: small, maximumPollingDuration: 120");
  broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
    if (call.method == osb::Method::kBind) return answer_of(202);
    if (call.method == osb::Method::kPollBinding) return answer_of(200, "{state: in progress}");
    return std::nullopt;
  };
  apply_binding();
  const auto begin = clock.now();
  finish();
  EXPECT_EQ(binding_conditions(), "Ready=False:OrphanMitigationSuccessful Failed=True:ErrorReconciliationRetryTimeout");
  EXPECT_EQ(warning_reasons(),
            "AsyncOperationTimeout ErrorReconciliationRetryTimeout ServiceBindingNeedsOrphanMitigation");
  EXPECT_LT(clock.now() - begin, std::chrono::minutes(5));
  expect_quiet();
}

TEST_F(BindingAnswers, AConflictIsPerhapsOurOwn) {
  apply_class("c1", "externalName: mysql, bindingRetrievable: true");
  broker.instances["id-mydb"].bindings["id-b"] = json::Value();
  broker.script = [](const osb::Call& call) -> std::optional<osb::Answer> {
    return call.method == osb::Method::kBind ? std::optional(answer_of(409)) : std::nullopt;
  };
  apply_binding();
  settle();
  EXPECT_EQ(binding_conditions(), "Ready=True:InjectedBindResult");
}

TEST_F(BindingAnswers, CredentialsThatFindNoPlaceAreGivenBackInTheEnd) {
  apply_binding(
      "{instanceRef: {name: mydb}, secretTransform: [{addKeysFrom: {secretRef: {name: none, namespace: dev}}}]}");
  settle();
  EXPECT_EQ(binding_conditions(), "Ready=False:ErrorInjectingBindResult");
  EXPECT_NE(message(kBindings, "b").find("dev/none"), std::string::npos);
  EXPECT_EQ(broker.instances["id-mydb"].bindings.size(), 1u);
  finish(3000);
  EXPECT_EQ(binding_conditions(), "Ready=False:OrphanMitigationSuccessful Failed=True:ErrorReconciliationRetryTimeout");
  EXPECT_TRUE(broker.instances["id-mydb"].bindings.empty());
  expect_quiet();
}

TEST_F(BindingAnswers, TransformsThatFailWorkOnceTheSecretIsThere) {
  apply_binding(
      "{instanceRef: {name: mydb}, secretTransform: [{addKeysFrom: {secretRef: {name: more, namespace: dev}}}]}");
  settle();
  apply_secret("more", "extra", "s3cret-extra");
  finish();
  EXPECT_EQ(binding_conditions(), "Ready=True:InjectedBindResult");
  EXPECT_EQ(secret_value("b", "extra"), "s3cret-extra");
}

}  // namespace
}  // namespace chandler::reconcilers::testing
