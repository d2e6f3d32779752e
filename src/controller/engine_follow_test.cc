// Steps that say what follows their writes: the run that would say the same is left out.
#include <gmock/gmock.h>

#include "controller/engine_fixture.h"

namespace chandler::controller::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class EngineFollowTest : public EngineTest {
 protected:
  EngineFollowTest() { api.both_at_once = true; }

  // Stores that it is about to call, calls, stores the answer, rests. What follows is said in advance, and decided the
  // same way by a run that finds it undone.
  void start_callers(EngineOptions options = {}) {
    start(
        [](const client::Object& object, View& view) {
          if (view.outcome() != nullptr) {
            Step step = Step::write(to_phase(object, "made"));
            (void)view.get(kParts, "dev", "p");
            step.rests = true;
            return step;
          }
          if (phase_of(object) == "made") return Step::done();
          (void)view.get(kParts, "dev", "p");
          Step step = call(object, "a");
          if (phase_of(object).empty()) step.stages.push_back({to_phase(object, "asking")});
          return step;
        },
        std::move(options));
  }
};

TEST_F(EngineFollowTest, TheCallFollowsTheWritesAndNothingFollowsTheLast) {
  start_callers();
  api.hold_writes = true;
  put_thing("a1");
  settle();
  EXPECT_THAT(sender.sent, IsEmpty()) << "before the intent is stored";
  api.release();
  settle();
  EXPECT_THAT(sender.instances(), ElementsAre("a1"));
  EXPECT_THAT(take_runs(), ElementsAre("a1")) << "no second run decided the same again";
  sender.answer(201);
  settle();
  api.release();
  settle();
  EXPECT_EQ(phase("a1"), "made");
  EXPECT_THAT(take_runs(), ElementsAre("a1")) << "the one that took the answer";
  EXPECT_TRUE(engine->at_rest());
  put_thing("a1", "spec: {x: y}, status: {phase: made}");
  settle();
  EXPECT_THAT(take_runs(), ElementsAre("a1")) << "whatever changes later is looked at";
}

TEST_F(EngineFollowTest, WhereTheApiMayMakeSomethingElseOfItARunDecides) {
  api.both_at_once = false;
  start_callers();
  put_thing("a1");
  settle();
  EXPECT_THAT(take_runs(), SizeIs(2));
  sender.answer(201);
  settle();
  EXPECT_THAT(take_runs(), SizeIs(2));
  EXPECT_EQ(phase("a1"), "made");
}

TEST_F(EngineFollowTest, WhenTheObjectHasChangedSinceARunDecides) {
  start_callers();
  api.hold_writes = true;
  put_thing("a1");
  settle();
  api.release();
  put_thing("a1", "status: {phase: made}");  // before the engine hears of its write
  settle();
  EXPECT_THAT(sender.sent, IsEmpty());
  EXPECT_THAT(take_runs(), ElementsAre("a1", "a1"));
}

TEST_F(EngineFollowTest, WhenTheWriteFailsNothingFollows) {
  start_callers();
  api.fail_before = [](const client::Write&) -> std::optional<Error> { return unavailable("later"); };
  put_thing("a1");
  settle();
  EXPECT_THAT(sender.sent, IsEmpty());
  api.fail_before = nullptr;
  advance(std::chrono::minutes(1));
  EXPECT_THAT(sender.instances(), ElementsAre("a1"));
}

TEST_F(EngineFollowTest, WhereOthersCallAlreadyItWaitsForItsTurn) {
  EngineOptions options;
  options.calls_per_lane = 1;
  start_callers(options);
  for (const auto* name : {"a1", "a2", "a3"}) put_thing(name);
  settle();
  EXPECT_THAT(sender.instances(), ElementsAre("a1"));
  EXPECT_FALSE(engine->at_rest());
  for (int i = 0; i < 3; ++i) {
    ASSERT_THAT(sender.sent, SizeIs(1));
    sender.answer(201);
    settle();
  }
  for (const auto* name : {"a1", "a2", "a3"}) EXPECT_EQ(phase(name), "made");
}

TEST_F(EngineFollowTest, WhatWasReadAndChangesMeanwhileEndsTheRest) {
  start_callers();
  put_thing("a1");
  settle();
  api.hold_writes = true;
  sender.answer(201);
  settle();
  take_runs();
  put_part("p", "red");
  settle();
  EXPECT_THAT(take_runs(), IsEmpty()) << "it is being written";
  api.release();
  settle();
  EXPECT_THAT(take_runs(), ElementsAre("a1"));
}

TEST_F(EngineFollowTest, WhatWasReadAndChangesMeanwhileIsLookedAtBeforeTheCall) {
  start_callers();
  api.hold_writes = true;
  put_thing("a1");
  settle();
  put_part("p", "red");
  settle();
  api.release();
  EXPECT_TRUE(sender.sent.empty());
  take_runs();
  settle();
  EXPECT_THAT(take_runs(), ElementsAre("a1"));
  EXPECT_THAT(sender.instances(), ElementsAre("a1")) << "as that run decided";
}

TEST_F(EngineFollowTest, WhenTooManyChangesPileUpMeanwhileTheRestEnds) {
  EngineOptions options;
  options.queued_changes = 4;
  start_callers(options);
  put_thing("a1");
  settle();
  api.hold_writes = true;
  sender.answer(201);
  settle();
  take_runs();
  for (int i = 0; i < 10; ++i) put_part(fmt::format("p{}", i), "red");
  settle();
  api.release();
  settle();
  EXPECT_THAT(take_runs(), ElementsAre("a1"));
}

TEST_F(EngineFollowTest, AnObjectThatIsGoneIsNotAskedFor) {
  start_callers();
  api.hold_writes = true;
  put_thing("a1");
  settle();
  api.release();
  api.remove(kThings, "dev", "a1");
  settle();
  EXPECT_THAT(sender.sent, IsEmpty());
  EXPECT_TRUE(engine->at_rest());
}

TEST_F(EngineFollowTest, ABreakerThatIsOpenHoldsTheCallBack) {
  EngineOptions options;
  options.breaker_failures = 1;
  start_callers(options);
  put_thing("a1");
  settle();
  sender.answer(500);
  settle();
  put_thing("a2");
  settle();
  EXPECT_EQ(phase("a2"), "asking");
  EXPECT_THAT(sender.sent, IsEmpty());
  advance(std::chrono::minutes(2));
  EXPECT_THAT(sender.instances(), ElementsAre("a2"));
}

TEST_F(EngineFollowTest, WhoSaysSomethingElseThanTheNextRunIsFoundOut) {
  EngineOptions options;
  options.checks_what_follows = true;
  start(
      [](const client::Object& object, View&) {
        if (!phase_of(object).empty()) return call(object, "b");
        Step step = call(object, "a");
        step.stages.push_back({to_phase(object, "asking")});
        return step;
      },
      options);
  put_thing("a1");
  EXPECT_DEATH(settle(), "does not hold");
}

TEST_F(EngineFollowTest, WhatWasReadAndChangesLaterEndsTheRest) {
  start_callers();
  put_thing("a1");
  settle();
  sender.answer(201);
  settle();
  take_runs();
  put_part("p", "red");
  settle();
  EXPECT_THAT(take_runs(), ElementsAre("a1"));
}

TEST_F(EngineFollowTest, AStepThatWillBeLookedAtLaterDoesNotRest) {
  start([](const client::Object& object, View& view) {
    if (phase_of(object) == "done") return Step::done();
    Step step = Step::write(to_phase(object, "done"));
    step.rests = true;
    step.wake = view.now();
    return step;
  });
  put_thing("a1");
  settle();
  EXPECT_THAT(take_runs(), SizeIs(2));
}

}  // namespace
}  // namespace chandler::controller::testing
