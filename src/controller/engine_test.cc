// Waking, writing, waiting.
#include "controller/engine.h"

#include <stdexcept>

#include <gmock/gmock.h>

#include "controller/engine_fixture.h"

namespace chandler::controller::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Step nothing(const client::Object&, View&) { return Step::done(); }

TEST_F(EngineTest, RunsWhatIsThereAtStartAndWhatComesLater) {
  put_thing("a");
  start(nothing);
  settle();
  EXPECT_THAT(take_runs(), ElementsAre("a"));
  put_thing("b");
  settle();
  EXPECT_THAT(take_runs(), ElementsAre("b"));
  put_thing("a", "spec: {x: y}");
  settle();
  EXPECT_THAT(take_runs(), ElementsAre("a"));
  EXPECT_TRUE(engine->at_rest());
  EXPECT_FALSE(engine->next_due().has_value());
}

TEST_F(EngineTest, ChangesBeforeARunAreOneRun) {
  put_thing("a");
  start(nothing);
  for (int i = 0; i < 5; ++i) put_thing("a", fmt::format("spec: {{i: {}}}", i));
  settle();
  EXPECT_LE(take_runs().size(), 2u);
}

TEST_F(EngineTest, WakesOnTheObjectThatWasRead) {
  start([](const client::Object& object, View& view) {
    view.get(kParts, "dev", object.name() == "a" ? "red" : "blue");
    return Step::done();
  });
  put_thing("a");
  put_thing("b");
  settle();
  take_runs();
  put_part("red", "red");  // was missing when it was read
  settle();
  EXPECT_THAT(take_runs(), ElementsAre("a"));
  api.remove(kParts, "dev", "red");
  settle();
  EXPECT_THAT(take_runs(), ElementsAre("a"));
  put_part("red", "red", "other");
  settle();
  EXPECT_THAT(take_runs(), IsEmpty());
}

TEST_F(EngineTest, WakesOnListsThatAChangeEntersOrLeaves) {
  start([](const client::Object& object, View& view) {
    client::Selection selection;
    if (object.name() == "near") selection.ns = "dev";
    if (object.name() != "all") selection.fields = {{"spec.color", object.name() == "blue" ? "blue" : "red"}};
    view.list(kParts, selection);
    return Step::done();
  });
  for (const std::string_view name : {"all", "blue", "near", "red"}) put_thing(name);
  settle();
  take_runs();
  put_part("p", "red");
  settle();
  EXPECT_THAT(take_runs(), ElementsAre("all", "near", "red"));
  put_part("p", "blue");  // leaves one list, enters another
  settle();
  EXPECT_THAT(take_runs(), ElementsAre("all", "blue", "near", "red"));
  put_part("p", "blue");  // changes in one
  settle();
  EXPECT_THAT(take_runs(), ElementsAre("all", "blue"));
  put_part("q", "red", "far");
  settle();
  EXPECT_THAT(take_runs(), ElementsAre("all", "red"));
  put_part("r", "green");
  settle();
  EXPECT_THAT(take_runs(), ElementsAre("all"));
}

TEST_F(EngineTest, OnlyTheReadsOfTheLastRunCount) {
  start([](const client::Object& object, View& view) {
    if (phase_of(object).empty()) view.get(kParts, "dev", "p");
    return Step::done();
  });
  put_thing("a");
  settle();
  put_thing("a", "status: {phase: done}");
  settle();
  take_runs();
  put_part("p", "red");
  settle();
  EXPECT_THAT(take_runs(), IsEmpty());
}

TEST_F(EngineTest, WhatNobodyHasReadWakesNobody) {
  bool reads = false;
  start([&](const client::Object&, View& view) {
    if (!reads) return Step::done();
    const bool there = static_cast<bool>(view.get(kParts, "dev", "p"));
    if (!there) put_part("p", "red");  // comes right after the look, before the engine knows of it
    return Step::done();
  });
  int rings = 0;
  engine->on_mail([&] { ++rings; });
  put_part("other", "red");
  EXPECT_EQ(rings, 0) << "of a kind that is followed, but was never read";
  reads = true;
  put_thing("a");
  EXPECT_EQ(rings, 1);
  settle();
  EXPECT_THAT(take_runs(), ElementsAre("a", "a"));
  put_part("p", "blue");
  settle();
  EXPECT_THAT(take_runs(), ElementsAre("a"));
}

TEST_F(EngineTest, AfterAWriteItRunsAgainOnWhatIsStored) {
  start([](const client::Object& object, View&) {
    if (phase_of(object) == "2") return Step::done();
    return Step::write(to_phase(object, phase_of(object).empty() ? "1" : "2"));
  });
  put_thing("a");
  settle();
  EXPECT_EQ(phase("a"), "2");
  EXPECT_TRUE(engine->at_rest());
}

TEST_F(EngineTest, IsNotRunWhileItsWriteIsUnderWay) {
  start([](const client::Object& object, View&) {
    return phase_of(object).empty() ? Step::write(to_phase(object, "1")) : Step::done();
  });
  api.hold_writes = true;
  put_thing("a");
  settle();
  EXPECT_THAT(take_runs(), ElementsAre("a"));
  put_thing("a", "spec: {x: y}");
  settle();
  EXPECT_THAT(take_runs(), IsEmpty());
  EXPECT_FALSE(engine->at_rest());
  api.hold_writes = false;
  api.release();  // conflicts: decided on the older state
  settle();
  EXPECT_EQ(phase("a"), "1");
}

client::Write create_part(const std::string& name) {
  client::Write write;
  write.verb = client::Write::Verb::kCreate;
  write.kind = kParts;
  write.ns = "dev";
  write.name = name;
  write.object = json::Object{{"kind", "Part"}, {"metadata", json::Object{}}};
  return write;
}

TEST_F(EngineTest, StagesGoOneAfterTheOther) {
  EngineOptions options;
  options.writes_in_flight = 2;
  start(
      [](const client::Object& object, View&) {
        Step step;
        if (!phase_of(object).empty()) return step;
        step.stages = {{create_part("p1"), create_part("p2"), create_part("p3")}, {}, {to_phase(object, "1")}};
        step.notes.push_back({false, "Made", "made it"});
        return step;
      },
      options);
  api.hold_writes = true;
  put_thing("a");
  settle();
  EXPECT_THAT(api.log, ElementsAre("create parts dev/p1", "create parts dev/p2")) << "the bound on writes under way";
  api.release(1);
  settle();
  EXPECT_EQ(api.log.back(), "create parts dev/p3");
  api.release(1);
  settle();
  EXPECT_EQ(api.log.size(), 3u) << "p3 is still under way";
  api.release(1);
  settle();
  EXPECT_EQ(api.log.back(), "status things dev/a");
  EXPECT_EQ(api.log.size(), 4u) << "no event before the last stage";
  api.release(1);
  settle();
  EXPECT_THAT(api.log.back(), HasSubstr("create events dev/a."));
}

TEST_F(EngineTest, WhatItWritesUntilItHasNothingToDoIsABurst) {
  put_thing("a");
  put_thing("b");
  put_thing("c");
  api.hold_writes = true;
  start([](const client::Object& object, View&) {
    return phase_of(object).empty() ? Step::write(to_phase(object, "done")) : Step::done();
  });
  settle();
  EXPECT_THAT(api.bursts, ElementsAre(3));
  api.release();
  settle();
  EXPECT_THAT(api.bursts, ElementsAre(3)) << "nothing more was written";
  put_thing("d");
  settle();
  EXPECT_THAT(api.bursts, ElementsAre(3, 1));
}

TEST_F(EngineTest, AnObjectAndItsStatusAreWrittenAtOnceWhereTheApiCan) {
  const auto size_of = [](const client::Object& object) {
    const auto* spec = json::find(object.value(), "spec");
    return spec == nullptr ? "" : json::string_or(*spec, "size");
  };
  const auto to_size = [](const client::Object& object, std::string_view name) {
    client::Write write;
    write.verb = client::Write::Verb::kUpdate;
    write.kind = kThings;
    write.ns = object.ns();
    write.name = name;
    write.object = object.value();
    write.object.as_object()["spec"] = json::Object{{"size", "large"}};
    return write;
  };
  const struct {
    const char* name;
    bool can;
    bool of_another;  // the second write
    Names writes;
  } rows[] = {
      {"as over the Kubernetes API", false, false, {"status things dev/a", "update things dev/a"}},
      {"in the server", true, false, {"both things dev/a"}},
      {"two objects are two writes", true, true, {"status things dev/a", "update things dev/b"}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    api.both_at_once = row.can;
    start([&](const client::Object& object, View&) {
      Step step;
      if (!phase_of(object).empty() || object.name() != "a") return step;
      const auto other = row.of_another ? api.get(kThings, "dev", "b") : object;
      step.stages = {{to_phase(object, "1")}, {to_size(other, other.name())}};
      return step;
    });
    put_thing("b");
    put_thing("a");
    api.log.clear();
    settle();
    EXPECT_EQ(api.log, row.writes);
    EXPECT_EQ(phase("a"), "1");
    EXPECT_EQ(size_of(api.get(kThings, "dev", row.of_another ? "b" : "a")), "large");
    engine.reset();
  }
}

TEST_F(EngineTest, AFailureEndsTheStepAndComesBackWithGrowingDelay) {
  int fail = 3;
  api.fail_before = [&](const client::Write& write) -> std::optional<Error> {
    if (write.name != "p1" || fail == 0) return std::nullopt;
    --fail;
    return unavailable("disk full");
  };
  start([](const client::Object& object, View&) {
    Step step;
    if (!phase_of(object).empty()) return step;
    step.stages = {{create_part("p1")}, {to_phase(object, "1")}};
    step.notes.push_back({false, "Made", "made it"});
    return step;
  });
  put_thing("a");
  settle();
  std::vector<std::chrono::microseconds> delays;
  while (phase("a").empty()) {
    ASSERT_TRUE(engine->next_due().has_value());
    put_thing("a", fmt::format("spec: {{i: {}}}", delays.size()));  // a change does not cut the delay short
    settle();
    delays.push_back(*engine->next_due() - clock.now());
    advance(delays.back());
    ASSERT_LT(delays.size(), 10u);
  }
  ASSERT_EQ(delays.size(), 3u);
  EXPECT_GE(delays[0], milliseconds(3));
  EXPECT_LE(delays[0], milliseconds(7));
  EXPECT_GT(delays[1], delays[0]);
  EXPECT_GT(delays[2], delays[1]);
  EXPECT_EQ(std::count(api.log.begin(), api.log.end(), "status things dev/a"), 1);
  EXPECT_THAT(
      metrics.text(),
      HasSubstr("chandler_controller_write_failures_total{reconciler=\"fake\",reason=\"ServiceUnavailable\"} 3"));
}

TEST_F(EngineTest, AFullStoreSaysHowLongToWait) {
  api.fail_before = [](const client::Write&) -> std::optional<Error> { return too_many_requests("full", 7); };
  start([](const client::Object& object, View&) { return Step::write(to_phase(object, "1")); });
  put_thing("a");
  settle();
  EXPECT_GE(*engine->next_due() - clock.now(), seconds(7));
}

TEST_F(EngineTest, ConflictsAreRetriedAtOnceButNotForEver) {
  int conflicts = 3;
  api.fail_before = [&](const client::Write& write) -> std::optional<Error> {
    if (conflicts == 0) return std::nullopt;
    --conflicts;
    return modified({"", "things", write.name, ""});
  };
  start([](const client::Object& object, View&) {
    return phase_of(object).empty() ? Step::write(to_phase(object, "1")) : Step::done();
  });
  put_thing("a");
  settle();
  EXPECT_EQ(phase("a"), "1") << "without the clock moving";
  conflicts = 1000;
  put_thing("b");
  settle();
  EXPECT_EQ(phase("b"), "");
  EXPECT_TRUE(engine->next_due().has_value());
}

TEST_F(EngineTest, AWriteThatHappenedButWasReportedFailedIsFoundInState) {
  bool once = true;
  api.fail_after = [&](const client::Write&) -> std::optional<Error> {
    if (!std::exchange(once, false)) return std::nullopt;
    return timeout("no answer");
  };
  start([](const client::Object& object, View&) {
    return phase_of(object).empty() ? Step::write(to_phase(object, "1")) : Step::done();
  });
  put_thing("a");
  settle();
  advance(seconds(1));
  EXPECT_EQ(phase("a"), "1");
  EXPECT_EQ(api.log.size(), 1u);
  EXPECT_TRUE(engine->at_rest());
}

TEST_F(EngineTest, WakesAtTheTimeItAskedForUnlessItRanBefore) {
  start([this](const client::Object& object, View& view) {
    const auto asked = json::string_or(*json::find(object.value(), "spec"), "wait");
    if (asked == "no") return Step::done();
    return runs.size() > 1 ? Step::done() : Step::wait_until(view.now() + minutes(asked == "long" ? 10 : 1));
  });
  put_thing("a", "spec: {wait: short}");
  settle();
  EXPECT_EQ(*engine->next_due(), clock.now() + minutes(1));
  EXPECT_TRUE(engine->at_rest());
  advance(seconds(59));
  EXPECT_EQ(runs.size(), 1u);
  advance(seconds(1));
  EXPECT_EQ(runs.size(), 2u);
  EXPECT_FALSE(engine->next_due().has_value());

  runs.clear();
  put_thing("b", "spec: {wait: long}");
  settle();
  ASSERT_TRUE(engine->next_due().has_value());
  put_thing("b", "spec: {wait: 'no'}");
  settle();
  EXPECT_FALSE(engine->next_due().has_value()) << "the last decision counts";
}

TEST_F(EngineTest, AReconcilerThatThrowsIsRunAgainLater) {
  bool bad = true;
  start([&](const client::Object&, View& view) -> Step {
    view.get(kParts, "dev", "p");
    if (bad) throw std::runtime_error("no such member");
    return Step::done();
  });
  put_thing("a");
  settle();
  EXPECT_EQ(take_runs().size(), 1u);
  ASSERT_TRUE(engine->next_due().has_value());
  bad = false;
  advance(seconds(1));
  EXPECT_EQ(take_runs().size(), 1u);
  EXPECT_FALSE(engine->next_due().has_value());
}

TEST_F(EngineTest, AReconcilerThatWritesForEverIsHeldUp) {
  EngineOptions options;
  options.steps_in_a_row = 20;
  start([](const client::Object& object, View&) { return Step::write(to_phase(object, phase_of(object) + "x")); },
        options);
  put_thing("a");
  settle();
  EXPECT_EQ(phase("a").size(), 20u);
  EXPECT_TRUE(engine->next_due().has_value());
}

TEST_F(EngineTest, ATimeThatHasPassedIsNoWait) {
  EngineOptions options;
  options.steps_in_a_row = 20;
  start([](const client::Object&, View& view) { return Step::wait_until(view.now() - seconds(1)); }, options);
  put_thing("a");
  settle();
  EXPECT_EQ(runs.size(), 21u);
  EXPECT_GT(*engine->next_due(), clock.now());
}

TEST_F(EngineTest, RunsAgainWhenARightIsKnown) {
  api.decision = client::Access::Decision::kUnknown;
  start([](const client::Object& object, View& view) {
    if (view.may({}) != client::Access::Decision::kAllowed || !phase_of(object).empty()) return Step::done();
    return Step::write(to_phase(object, "1"));
  });
  put_thing("a");
  settle();
  EXPECT_EQ(phase("a"), "");
  api.decision = client::Access::Decision::kAllowed;
  api.access_changed();
  settle();
  EXPECT_EQ(phase("a"), "1");
}

TEST_F(EngineTest, WhenTooManyChangesPileUpEverythingIsLookedAtAgain) {
  EngineOptions options;
  options.queued_changes = 10;
  start(
      [](const client::Object& object, View& view) {
        if (object.name() == "reader") view.get(kParts, "dev", "p");
        return Step::done();
      },
      options);
  put_thing("reader");
  settle();
  take_runs();
  for (int i = 0; i < 15; ++i) put_thing(fmt::format("t{}", i));
  put_part("p", "red");
  settle();
  EXPECT_EQ(take_runs().size(), 16u);
}

TEST_F(EngineTest, TheDepthOfTheQueueIsMeasured) {
  put_thing("a");
  put_thing("b");
  start(nothing);
  EXPECT_THAT(metrics.text(), HasSubstr("chandler_controller_queue_depth{reconciler=\"fake\"} 2"));
  settle();
  EXPECT_THAT(metrics.text(), HasSubstr("chandler_controller_queue_depth{reconciler=\"fake\"} 0"));
  EXPECT_THAT(metrics.text(), HasSubstr("chandler_controller_runs_total{reconciler=\"fake\",result=\"done\"} 2"));
}

TEST_F(EngineTest, CallbacksThatComeAfterItsEndAreDropped) {
  start([](const client::Object& object, View&) {
    return object.name() == "a" ? Step::write(to_phase(object, "1")) : call(object, "broker");
  });
  api.hold_writes = true;
  put_thing("a");
  put_thing("b");
  settle();
  ASSERT_EQ(sender.sent.size(), 1u);
  engine.reset();
  sender.answer(201);
  api.release();
  put_thing("c");
  EXPECT_EQ(phase("a"), "1");
}

}  // namespace
}  // namespace chandler::controller::testing
