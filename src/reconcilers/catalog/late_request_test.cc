// Requests that a broker carries out when it has answered their deletion already: a queue, or a proxy, has held them.
#include "reconcilers/catalog/late_request.h"

#include <algorithm>

#include "reconcilers/instance/instance_story_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

using Kind = http::ClientFailure::Kind;
using osb::Method;
using std::chrono::seconds;

class LateRequestStory : public InstanceStory {
 protected:
  // The first request of `makes` is answered so. Unless that is the last word, it is carried out right after the first
  // deletion was answered.
  void hold_back_first(Method makes, const osb::Answer& answer, bool is_last_word = false) {
    held_.reset();
    broker.script = [this, makes, answer, is_last_word,
                     is_first = true](const osb::Call& call) mutable -> std::optional<osb::Answer> {
      if (call.method == makes && std::exchange(is_first, false)) {
        if (!is_last_word) held_ = call;
        return answer;
      }
      const bool removes = call.method == (makes == Method::kBind ? Method::kUnbind : Method::kDeprovision);
      if (!removes || !held_) return std::nullopt;
      carry_out_held();
      return answer_of(410);
    };
  }
  void carry_out_held() {
    const auto call = *std::exchange(held_, std::nullopt);
    auto& instance = broker.instances[call.instance_id];
    if (call.method == Method::kBind) {
      instance.bindings[call.binding_id] = json::Value();
    } else {
      instance = {"c1", "p1", json::Value(), {}};
    }
  }
  size_t count(Method method) const {
    return static_cast<size_t>(std::count_if(broker.calls.begin(), broker.calls.end(),
                                             [&](const osb::Call& call) { return call.method == method; }));
  }
  void send_provision() {
    apply_instance("{" + kSmall + "}");
    start();
    while (broker.calls.empty()) engine->turn();
  }
  // The process died with the provision on its way; the next one hears that all is well. Deleted `after` that.
  size_t deletions_after_a_crash(seconds after) {
    send_provision();
    crash();
    settle();
    EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
    advance(after);
    remove(kInstances, "mydb");
    finish();
    EXPECT_EQ(conditions(), "gone");
    return count(Method::kDeprovision);
  }

 private:
  std::optional<osb::Call> held_;
};

struct Row {
  const char* reason;
  osb::Answer answer;
  size_t deletions;
};
std::vector<Row> rows() {
  return {{"who hears nothing knows nothing", no_answer(Kind::kTimeout), 2},
          {"the connection broke after sending", no_answer(Kind::kBroken), 2},
          {"we gave up waiting", no_answer(Kind::kCancelled, true), 2},
          {"a proxy gave up waiting", answer_of(504), 2},
          {"a proxy lost the broker", answer_of(502), 2},
          {"an error may be that of a proxy", answer_of(500), 2},
          {"the broker says that it made something", malformed(201), 1},
          {"the broker says that it works on it", malformed(202), 1},
          {"the broker has answered, whatever it means", answer_of(204), 1},
          {"the broker has answered, at length", no_answer(Kind::kTooLarge), 1}};
}

TEST_F(LateRequestStory, WhatIsMadeAfterItsDeletionIsRemovedBeforeTheNextTry) {
  for (const auto& row : rows()) {
    SCOPED_TRACE(row.reason);
    hold_back_first(Method::kProvision, row.answer, row.deletions == 1);
    apply_instance("{" + kSmall + "}");
    finish();
    EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
    EXPECT_EQ(instance("status.lateRequestUntil"), "null");
    Lines expected{"ProvisionInstance id-mydb"};
    expected.insert(expected.end(), row.deletions, "DeprovisionInstance id-mydb");
    expected.emplace_back("ProvisionInstance id-mydb");
    EXPECT_EQ(broker.take_lines(), expected);
    broker.script = nullptr;
    remove(kInstances, "mydb");
    finish();
    ASSERT_EQ(conditions(), "gone");
    EXPECT_EQ(broker.take_lines(), Lines{"DeprovisionInstance id-mydb"}) << "the success came from an answer";
  }
}

TEST_F(LateRequestStory, WhatIsBoundAfterItsRemovalIsRemovedBeforeTheNextTry) {
  for (const auto& row : rows()) {
    SCOPED_TRACE(row.reason);
    provision();
    hold_back_first(Method::kBind, row.answer, row.deletions == 1);
    apply_binding();
    finish();
    EXPECT_EQ(binding_conditions(), "Ready=True:InjectedBindResult");
    EXPECT_EQ(count(Method::kUnbind), row.deletions);
    broker.script = nullptr;
    remove(kBindings, "b");
    finish();
    EXPECT_EQ(binding_conditions(), "gone");
    EXPECT_EQ(count(Method::kUnbind), row.deletions + 1);
    remove(kInstances, "mydb");
    finish();
    ASSERT_TRUE(broker.instances.empty());
  }
}

TEST_F(LateRequestStory, TheObjectStaysUntilTheSecondDeletionIsAnswered) {
  hold_back_first(Method::kProvision, no_answer(Kind::kTimeout));
  apply_instance("{" + kSmall + "}");
  settle();
  remove(kInstances, "mydb");
  settle();
  EXPECT_EQ(broker.calls.size(), 1u) << "it may still be on its way";
  advance(seconds(60));
  EXPECT_EQ(conditions(), "Ready=False:RemovalRepeated");
  EXPECT_EQ(message(),
            "The broker has removed it, but a request whose outcome is unknown may still be carried out; at "
            "2023-11-14T22:15:20Z the broker is asked to remove it once more.");
  ASSERT_EQ(broker.instances.size(), 1u) << "carried out late";
  expect_quiet();
  advance(seconds(59));
  EXPECT_EQ(count(Method::kDeprovision), 1u);
  crash();
  settle();
  EXPECT_EQ(count(Method::kDeprovision), 1u) << "a restart does not shorten the wait";
  advance(seconds(1));
  EXPECT_EQ(conditions(), "gone");
  EXPECT_EQ(count(Method::kDeprovision), 2u);
  EXPECT_TRUE(broker.instances.empty());
}

TEST_F(LateRequestStory, TheWaitForTheSecondDeletionCanBeAbandoned) {
  hold_back_first(Method::kProvision, answer_of(500));
  apply_instance("{" + kSmall + "}");
  settle();
  remove(kInstances, "mydb");
  settle();
  annotate(kInstances, "mydb", kAbandonAnnotation, "true");
  settle();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_EQ(objects.list(kConfigMaps, {}).size(), 1u) << "the broker may have it: on record";
}

TEST_F(LateRequestStory, AnAsynchronousDeletionIsRepeatedToo) {
  broker.async = true;
  broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
    if (call.method != Method::kProvision || broker.calls.size() > 1) return std::nullopt;
    broker.instances["id-mydb"] = {"c1", "p1", {}, {}};
    return answer_of(503);
  };
  apply_instance("{" + kSmall + "}");
  settle();
  advance(seconds(1));
  EXPECT_EQ(conditions(), "Ready=False:RemovalRepeated OrphanMitigation=True:ProvisionCallFailed");
  EXPECT_EQ(instance("status.asyncOpInProgress"), "null");
  broker.instances["id-mydb"] = {"c1", "p1", {}, {}};
  finish();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  EXPECT_EQ(count(Method::kDeprovision), 2u);
}

TEST_F(LateRequestStory, AFailedDeletionIsRepeatedUntilTwoWereAnswered) {
  int failures = 2;
  broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
    if (call.method == Method::kProvision) return no_answer(Kind::kTimeout);
    return call.method == Method::kDeprovision && failures-- > 0 ? std::optional(answer_of(500)) : std::nullopt;
  };
  apply_instance("{" + kSmall + "}");
  settle();
  remove(kInstances, "mydb");
  finish();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_EQ(count(Method::kDeprovision), 4u);
}

TEST_F(LateRequestStory, ARunThatDiedWithItsRequestOnTheWayLeavesItsOutcomeOpen) {
  send_provision();
  crash();
  remove(kInstances, "mydb");
  finish();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_EQ(count(Method::kDeprovision), 2u);
}

TEST_F(LateRequestStory, AfterTheRepetitionSucceededTheLostRequestMayStillComeForAWhile) {
  EXPECT_EQ(deletions_after_a_crash(seconds(179)), 2u);
}

TEST_F(LateRequestStory, AndThenNoMore) { EXPECT_EQ(deletions_after_a_crash(seconds(180)), 1u); }

// The next run sends the request again; that the broker may forget this one sooner says nothing of the first.
TEST_F(LateRequestStory, AnAnswerToTheNextRunLeavesTheRequestOfADeadRunOpen) {
  send_provision();
  crash();
  broker.script = [](const osb::Call& call) -> std::optional<osb::Answer> {
    return call.method == Method::kProvision ? std::optional(answer_of(504)) : std::nullopt;
  };
  settle();
  EXPECT_EQ(count(Method::kDeprovision), 1u);
  advance(seconds(179));
  EXPECT_EQ(count(Method::kDeprovision), 1u);
  advance(seconds(1));
  EXPECT_EQ(count(Method::kDeprovision), 2u);
}

TEST_F(LateRequestStory, AChangedSpecDoesNotForgetTheRequestOfADeadRun) {
  send_provision();
  broker.instances.clear();
  edit_spec(kInstances, "mydb", [](json::Object& spec) { spec["parameters"] = json::Object{{"a", 1}}; });
  broker.calls.clear();
  crash();
  finish();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  EXPECT_EQ(broker.take_lines(),
            (Lines{"DeprovisionInstance id-mydb", "DeprovisionInstance id-mydb", "ProvisionInstance id-mydb"}));
}

TEST_F(LateRequestStory, ALateProvisionIsEndedUnderThePlanThatItNamed) {
  send_provision();
  crash();
  settle();
  change_plan("clusterServicePlanExternalName", "large");
  settle();
  ASSERT_EQ(conditions(), "Ready=True:InstanceUpdatedSuccessfully");
  broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
    const auto found = broker.instances.find("id-mydb");
    if (call.method != Method::kDeprovision || found == broker.instances.end()) return std::nullopt;
    if (found->second.plan_id != call.plan_id) return answer_of(400, "{description: another plan}");
    if (call.plan_id == "p2") {
      found->second = {"c1", "p1", {}, {}};  // the first request, at last
      return answer_of(200);
    }
    return std::nullopt;
  };
  remove(kInstances, "mydb");
  finish();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_TRUE(broker.instances.empty());
}

TEST_F(LateRequestStory, ABindingThatIsDeletedWhileItsRequestIsOnTheWay) {
  provision();
  apply_binding();
  broker.hold = true;
  start();
  while (broker.calls.empty()) engine->turn();
  remove(kBindings, "b");
  const auto call = broker.calls.front();
  ASSERT_EQ(call.method, Method::kBind);
  broker.hold = false;
  crash();  // nobody will ever hear
  broker.script = [&, is_first = true](const osb::Call& asked) mutable -> std::optional<osb::Answer> {
    if (asked.method != Method::kUnbind || !std::exchange(is_first, false)) return std::nullopt;
    broker.instances["id-mydb"].bindings["id-b"] = json::Value();
    return answer_of(410);
  };
  finish();
  EXPECT_EQ(binding_conditions(), "gone");
  EXPECT_TRUE(broker.instances["id-mydb"].bindings.empty());
}

// The same, and this run hears that it will hear nothing.
TEST_F(LateRequestStory, ABindingThatIsDeletedBeforeItsRequestTimesOut) {
  provision();
  broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
    if (call.method == Method::kBind) {
      remove(kBindings, "b");
      return no_answer(Kind::kTimeout);
    }
    if (call.method != Method::kUnbind || count(Method::kUnbind) > 1) return std::nullopt;
    broker.instances["id-mydb"].bindings["id-b"] = json::Value();
    return answer_of(410);
  };
  apply_binding();
  finish();
  EXPECT_EQ(binding_conditions(), "gone");
  EXPECT_EQ(count(Method::kUnbind), 2u);
  EXPECT_TRUE(broker.instances["id-mydb"].bindings.empty());
}

}  // namespace
}  // namespace chandler::reconcilers::testing
