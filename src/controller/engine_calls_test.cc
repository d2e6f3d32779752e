// Lanes, breakers, answers.
#include <gmock/gmock.h>

#include "controller/engine.h"
#include "controller/engine_fixture.h"

namespace chandler::controller::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class EngineCallsTest : public EngineTest {
 protected:
  // Calls the broker of its name's first letter until it has an answer, then stores it: "200 make".
  void start_callers(EngineOptions options = {}) {
    start(
        [this](const client::Object& object, View& view) {
          if (!phase_of(object).empty()) return Step::done();
          if (const auto* outcome = view.outcome()) {
            seen.push_back(fmt::format("{} {}", outcome->answer.status, outcome->intent));
            return Step::write(to_phase(object, seen.back()));
          }
          return call(object, std::string(object.name().substr(0, 1)), intent);
        },
        std::move(options));
  }

  std::string intent = "make";
  std::vector<std::string> seen;  // answers as reconcilers were shown them
};

TEST_F(EngineCallsTest, AnAnswerIsHandedOverWithItsIntent) {
  start_callers();
  put_thing("a1");
  settle();
  EXPECT_THAT(sender.instances(), ElementsAre("a1"));
  EXPECT_FALSE(engine->at_rest());
  clock.advance(seconds(2));
  sender.answer(201);
  settle();
  EXPECT_EQ(phase("a1"), "201 make");
  EXPECT_TRUE(engine->at_rest());
  EXPECT_THAT(
      metrics.text(),
      HasSubstr("servicecatalog_osb_request_count{broker=\"a\",method=\"ProvisionInstance\",status=\"2xx\"} 1"));
  EXPECT_THAT(
      metrics.text(),
      HasSubstr("servicecatalog_osb_request_duration_seconds_sum{broker=\"a\",method=\"ProvisionInstance\"} 2"));
}

TEST_F(EngineCallsTest, AnAnswerStaysUntilAStepMadeWithItHasSucceeded) {
  int failures = 2;
  api.fail_before = [&](const client::Write&) -> std::optional<Error> {
    if (failures == 0) return std::nullopt;
    --failures;
    return unavailable("later");
  };
  start_callers();
  put_thing("a1");
  settle();
  sender.answer(201);
  settle();
  advance(seconds(1));
  advance(seconds(1));
  EXPECT_EQ(phase("a1"), "201 make");
  EXPECT_THAT(seen, ElementsAre("201 make", "201 make", "201 make"));
  EXPECT_THAT(sender.sent, IsEmpty());
}

TEST_F(EngineCallsTest, WhatTheApiRefusesIsToldWithTheAnswerAndTheStageGoesOn) {
  api.fail_before = [](const client::Write& write) -> std::optional<Error> {
    if (write.name == "red") return forbidden({"test.io", "parts", "red", ""}, "no red");
    if (write.name == "blue") return invalid({"test.io", "parts", "blue", ""}, {});
    return std::nullopt;
  };
  start([&](const client::Object& object, View& view) {
    if (!phase_of(object).empty()) return Step::done();
    const auto* outcome = view.outcome();
    if (outcome == nullptr) return call(object, "a");
    std::string refused;
    for (const auto& one : outcome->refused) refused += one.ns + "/" + one.name + " ";
    seen.push_back(refused);
    Step step;
    step.stages.resize(2);
    for (const std::string name : {"red", "green", "blue", "white"}) {
      if (refused.find(name) != std::string::npos || api.get(kParts, "dev", name)) continue;
      client::Write write;
      write.verb = client::Write::Verb::kCreate;
      write.kind = kParts;
      write.ns = "dev";
      write.name = name;
      write.object = json::Object{{"metadata", json::Object{}}};
      step.stages[0].push_back(std::move(write));
    }
    step.stages[1].push_back(to_phase(object, "stored"));
    return step;
  });
  put_thing("a1");
  settle();
  sender.answer(200);
  settle();
  EXPECT_TRUE(api.get(kParts, "dev", "white")) << "written although others before it were refused";
  EXPECT_EQ(phase("a1"), "") << "the next stage has not begun";
  advance(seconds(1));
  EXPECT_THAT(seen, ElementsAre("", "dev/red dev/blue "));
  EXPECT_EQ(phase("a1"), "stored");
}

TEST_F(EngineCallsTest, AnAnswerStaysWhileARightIsUnknown) {
  start([](const client::Object& object, View& view) {
    if (!phase_of(object).empty()) return Step::done();
    if (view.outcome() == nullptr) return call(object, "a");
    if (view.may({}) == client::Access::Decision::kUnknown) return Step::done();
    return Step::write(to_phase(object, "1"));
  });
  api.decision = client::Access::Decision::kUnknown;
  put_thing("a1");
  settle();
  sender.answer(201);
  settle();
  EXPECT_EQ(phase("a1"), "");
  api.decision = client::Access::Decision::kAllowed;
  api.access_changed();
  settle();
  EXPECT_EQ(phase("a1"), "1");
}

TEST_F(EngineCallsTest, AnAnswerForAnObjectThatIsGoneIsDropped) {
  start_callers();
  put_thing("a1");
  settle();
  api.remove(kThings, "dev", "a1");
  settle();
  sender.answer(201);
  settle();
  EXPECT_THAT(seen, IsEmpty());
  EXPECT_TRUE(engine->at_rest());
}

TEST_F(EngineCallsTest, AnAnswerIsNotGivenToAnotherObjectOfTheSameName) {
  start_callers();
  put_thing("a1");
  settle();
  api.remove(kThings, "dev", "a1");
  put_thing("a1");
  settle();
  sender.answer(201);
  settle();
  EXPECT_THAT(seen, IsEmpty());
  EXPECT_THAT(sender.instances(), ElementsAre("a1")) << "the new one makes its own call";
}

TEST_F(EngineCallsTest, ChangesDuringACallAreSeenAfterIt) {
  start_callers();
  put_thing("a1");
  settle();
  take_runs();
  put_thing("a1", "spec: {x: y}");
  settle();
  EXPECT_THAT(take_runs(), IsEmpty()) << "one thing at a time";
  sender.answer(200);
  settle();
  EXPECT_EQ(phase("a1"), "200 make");
}

TEST_F(EngineCallsTest, SoManyAtOnceAndTheRestInOrder) {
  EngineOptions options;
  options.calls_per_lane = 2;
  start_callers(options);
  for (const std::string_view name : {"a1", "a2", "a3", "a4"}) {
    put_thing(name);
    settle();
  }
  EXPECT_THAT(sender.instances(), ElementsAre("a1", "a2"));
  EXPECT_THAT(metrics.text(), HasSubstr("chandler_controller_calls_waiting{broker=\"a\"} 2"));
  EXPECT_THAT(metrics.text(), HasSubstr("chandler_controller_calls_in_flight{broker=\"a\"} 2"));
  sender.answer(200);
  settle();
  EXPECT_THAT(sender.instances(), ElementsAre("a2", "a3"));
  put_thing("a5");
  settle();
  sender.answer(200);
  settle();
  EXPECT_THAT(sender.instances(), ElementsAre("a3", "a4"));
}

TEST_F(EngineCallsTest, ABrokerThatHangsDelaysNobodyElse) {
  EngineOptions options;
  options.calls_per_lane = 1;
  start_callers(options);
  for (int i = 0; i < 50; ++i) put_thing(fmt::format("a{}", i));
  settle();
  EXPECT_THAT(sender.sent, SizeIs(1));
  put_thing("b1");
  settle();
  EXPECT_THAT(sender.sent, SizeIs(2));
  EXPECT_EQ(sender.sent.back().call.instance_id, "b1");
}

TEST_F(EngineCallsTest, WhoWaitedDecidesAnew) {
  EngineOptions options;
  options.calls_per_lane = 1;
  start_callers(options);
  put_thing("a1");
  put_thing("a2");
  put_thing("a3");
  settle();
  put_thing("a2", "status: {phase: never mind}");
  intent = "changed";
  sender.answer(200);
  settle();
  EXPECT_THAT(sender.instances(), ElementsAre("a3"));
  sender.answer(200);
  settle();
  EXPECT_EQ(phase("a3"), "200 changed");
}

TEST_F(EngineCallsTest, WhatCannotDecideYetLeavesItsPlaceToOthers) {
  EngineOptions options;
  options.calls_per_lane = 1;
  start(
      [](const client::Object& object, View& view) {
        if (object.name() == "a2") (void)view.list(kParts, {"dev", {}});
        return call(object, "a");
      },
      options);
  for (const std::string_view name : {"a1", "a2", "a3"}) {
    put_thing(name);
    settle();
  }
  api.unlisted.insert(kParts);
  sender.answer(400);
  settle();
  EXPECT_THAT(sender.instances(), ElementsAre("a3"));
}

TEST_F(EngineCallsTest, AChangeKeepsThePlaceInTheLane) {
  EngineOptions options;
  options.calls_per_lane = 1;
  start_callers(options);
  for (const std::string_view name : {"a1", "a2", "a3"}) {
    put_thing(name);
    settle();
  }
  put_thing("a2", "spec: {x: y}");
  settle();
  sender.answer(200);
  settle();
  EXPECT_THAT(sender.instances(), ElementsAre("a2"));
}

TEST_F(EngineCallsTest, TheBreakerOpensLetsOneThroughAndCloses) {
  EngineOptions options;
  options.breaker_failures = 2;
  options.calls_per_lane = 2;
  start_callers(options);
  for (int i = 0; i < 8; ++i) {
    put_thing(fmt::format("a{}", i));
    settle();
  }
  sender.answer(500);
  settle();
  EXPECT_THAT(sender.sent, SizeIs(2));
  sender.answer(500);  // the second in a row
  settle();
  ASSERT_THAT(sender.sent, SizeIs(1)) << "the one sent after the first failure";
  sender.answer(500);  // tells nothing new
  settle();
  EXPECT_THAT(sender.sent, IsEmpty());
  EXPECT_FALSE(engine->at_rest());
  EXPECT_THAT(metrics.text(), HasSubstr("chandler_controller_breaker_open{broker=\"a\"} 1"));

  put_thing("b1");
  settle();
  EXPECT_THAT(sender.instances(), ElementsAre("b1")) << "another broker is not concerned";
  sender.answer(200);
  settle();

  auto wait = *engine->next_due() - clock.now();
  EXPECT_GE(wait, milliseconds(750));
  EXPECT_LE(wait, milliseconds(1'250));
  advance(wait);
  ASSERT_THAT(sender.sent, SizeIs(1)) << "one goes through";
  sender.answer(503);
  settle();
  EXPECT_THAT(sender.sent, IsEmpty());
  wait = *engine->next_due() - clock.now();
  EXPECT_GE(wait, milliseconds(1'500)) << "twice as long";
  advance(wait);
  ASSERT_THAT(sender.sent, SizeIs(1));
  sender.answer(200);
  settle();
  EXPECT_THAT(sender.sent, SizeIs(2)) << "closed: as many as before";
  EXPECT_THAT(metrics.text(), HasSubstr("chandler_controller_breaker_open{broker=\"a\"} 0"));
  while (!sender.sent.empty()) {
    sender.answer(200);
    settle();
  }
  for (int i = 0; i < 8; ++i) EXPECT_NE(phase(fmt::format("a{}", i)), "") << i << " was not lost";
  EXPECT_TRUE(engine->at_rest());
}

TEST_F(EngineCallsTest, RefusalsAreNoFailuresOfTheBroker) {
  EngineOptions options;
  options.breaker_failures = 2;
  start_callers(options);
  for (int i = 0; i < 5; ++i) {
    put_thing(fmt::format("a{}", i));
    settle();
    sender.answer(400);
    settle();
  }
  EXPECT_THAT(metrics.text(), HasSubstr("chandler_controller_breaker_open{broker=\"a\"} 0"));
  EXPECT_THAT(metrics.text(), HasSubstr("status=\"4xx\"} 5"));
}

TEST_F(EngineCallsTest, NoAnswerCountsAsClientError) {
  start_callers();
  put_thing("a1");
  settle();
  osb::Answer none;
  none.failure = http::ClientFailure{http::ClientFailure::Kind::kTimeout, "no answer within 60s"};
  sender.answer(std::move(none));
  settle();
  EXPECT_THAT(metrics.text(), HasSubstr("status=\"client-error\"} 1"));
}

TEST_F(EngineCallsTest, SomebodyWhoWaitsInALaneMayGiveUpInTime) {
  EngineOptions options;
  options.calls_per_lane = 1;
  start(
      [](const client::Object& object, View& view) {
        if (!phase_of(object).empty()) return Step::done();
        if (object.name() == "a2" && view.now() >= WallTime(seconds(1'700'000'060)))
          return Step::write(to_phase(object, "too late"));
        Step step = call(object, "a");
        step.wake = WallTime(seconds(1'700'000'060));
        return step;
      },
      options);
  put_thing("a1");
  put_thing("a2");
  settle();
  advance(seconds(60));
  EXPECT_EQ(phase("a2"), "too late");
}

TEST_F(EngineCallsTest, NotesOfACallAreRecordedWhenItIsSent) {
  start([](const client::Object& object, View&) {
    Step step = call(object, "a");
    step.notes.push_back({false, "Provisioning", "asking the broker"});
    return step;
  });
  put_thing("a1");
  settle();
  ASSERT_THAT(api.log, SizeIs(1));
  EXPECT_THAT(api.log[0], HasSubstr("create events dev/a1."));
}

}  // namespace
}  // namespace chandler::controller::testing
