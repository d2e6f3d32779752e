// What each answer of a broker leads to, for bindings: conditions in their order, unbindStatus, the operation that
// stays under way, and what happens next.
#include <map>

#include "reconcilers/answer_rows.h"
#include "reconcilers/reconciler_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

class BindingAnswers : public CatalogStory {
 protected:
  explicit BindingAnswers(std::string_view of_class = "") {
    register_catalog();
    if (!of_class.empty()) apply_class("c1", fmt::format("externalName: mysql, {}", of_class));
    apply_instance("{clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: small}");
    settle();
  }
  void answer(osb::Method method, const osb::Answer& with) {
    broker.script = [this, method, with](const osb::Call& call) -> std::optional<osb::Answer> {
      if (call.method != method) return std::nullopt;
      broker.hold = true;
      return with;
    };
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
  using BindingAnswers::answer;
  using BindingAnswers::broker;
  using BindingAnswers::summary;
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

struct PollRow {
  std::string name, reason;
  osb::Answer answer;
  std::string bind, unbind;
};

TEST(BindingAnswerTable, Polls) {
  using Kind = http::ClientFailure::Kind;
  const auto state = [](std::string_view text) { return answer_of(200, fmt::format("{{state: {}}}", text)); };
  const std::string go_on = R"(Ready=False:Binding | "Required" | "Bind" | wait)";
  const std::string go_on_removal = R"(Ready=False:Unbinding | "Required" | "Unbind" | wait)";
  const std::string again = R"(Ready=Unknown:UnbindCallFailed | "Required" | "Unbind" | wait)";
  const PollRow rows[] = {
      {"in progress", "patience", state("in progress"), go_on, go_on_removal},
      {"succeeded", "the credentials are fetched", state("succeeded"),
       R"(Ready=False:Binding | "Required" | "Bind" | GetBinding)", "gone"},
      {"failed", "cleaned up after", state("failed"),
       R"(Ready=False:ServiceBindingNeedsOrphanMitigation Failed=True:BindCallFailed OrphanMitigation=True:BindCallFailed | "Required" | "Bind" | Unbind)",
       again},
      {"410", "gone is what a removal wants", answer_of(410), go_on, "gone"},
      {"404", "confirmed by one more request", answer_of(404), go_on, again},
      {"400", "invalid", answer_of(400), go_on, go_on_removal},
      {"500", "invalid", answer_of(500), go_on, go_on_removal},
      {"malformed", "invalid", malformed(200), go_on, go_on_removal},
      {"time-out", "nothing is known", no_answer(Kind::kTimeout), go_on, go_on_removal},
  };
  for (const auto& row : rows) {
    const auto expect = [&](void (World::*begin)(), osb::Method method, const std::string& expected) {
      World world("bindingRetrievable: true");
      world.broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
        if (call.method == method) return answer_of(202, "{operation: op}");
        if (call.method != osb::Method::kPollBinding) return std::nullopt;
        EXPECT_EQ(call.operation, "op");
        world.broker.hold = true;
        return row.answer;
      };
      (world.*begin)();
      world.after(std::chrono::seconds(1));
      EXPECT_EQ(world.summary(), expected) << row.name << " of " << osb::method_name(method) << ": " << row.reason;
    };
    expect(&World::begin_bind, osb::Method::kBind, row.bind);
    expect(&World::begin_unbind, osb::Method::kUnbind, row.unbind);
  }
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
  EXPECT_EQ(binding_conditions(), "Ready=False:OrphanMitigationSuccessful");
  EXPECT_TRUE(broker.instances["id-mydb"].bindings.empty());
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
  EXPECT_EQ(binding_conditions(), "Ready=False:OrphanMitigationSuccessful Failed=True:AsyncOperationTimeout");
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
