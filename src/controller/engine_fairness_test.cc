// Two tenants, each with a namespace, before one engine: what one of them has waiting, or has broken, costs the other
// one turn.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "controller/engine.h"
#include "controller/engine_fixture.h"

namespace chandler::controller::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

class EngineFairnessTest : public EngineTest {
 protected:
  // Every thing calls the same broker until the answer is 200; after another answer it calls again at once, as the
  // worst of reconcilers would.
  void start_callers(EngineOptions options = {}) {
    start(
        [](const client::Object& object, View& view) {
          if (!phase_of(object).empty()) return Step::done();
          const auto* outcome = view.outcome();
          if (outcome != nullptr && outcome->answer.status == 200) return Step::write(to_phase(object, "ready"));
          return call(object, "shared");
        },
        std::move(options));
  }
  void put_many(int count, std::string_view ns) {
    for (int i = 0; i < count; ++i) put_thing(fmt::format("{}-{}", ns, i), "", ns);
  }
  // How many calls of each namespace are under way.
  std::map<std::string, int> under_way() const {
    std::map<std::string, int> out;
    for (const auto& name : sender.instances()) ++out[name.substr(0, name.find('-'))];
    return out;
  }
};

TEST_F(EngineFairnessTest, ANewNamespaceWaitsForOneTurnOfAnotherAtTheSameBroker) {
  EngineOptions options;
  options.calls_per_lane = 1;
  start_callers(options);
  put_many(500, "busy");
  settle();
  put_thing("other-0", "", "other");
  settle();
  sender.answer(200);
  settle();
  EXPECT_THAT(sender.instances(), ElementsAre("busy-1")) << "it came before";
  sender.answer(200);
  settle();
  EXPECT_THAT(sender.instances(), ElementsAre("other-0"));
}

TEST_F(EngineFairnessTest, NamespacesThatWaitForABrokerGetTheSameNumberOfCalls) {
  EngineOptions options;
  options.calls_per_lane = 2;
  start_callers(options);
  put_many(300, "busy");
  put_many(20, "some");
  put_many(3, "few");
  settle();
  std::map<std::string, int> served;
  for (int i = 0; i < 30; ++i) {
    const auto name = sender.instances().front();
    ++served[name.substr(0, name.find('-'))];
    sender.answer(200);
    settle();
  }
  EXPECT_EQ(served["few"], 3) << "all that it wanted";
  EXPECT_NEAR(served["some"], 13, 2);
  EXPECT_NEAR(served["busy"], 13, 2);
}

TEST_F(EngineFairnessTest, ANamespaceWhoseCallsGetNoAnswerLeavesSlotsToOthers) {
  start_callers();
  put_many(200, "hung");
  settle();
  for (const std::string_view ns : {"b", "c", "d", "e"}) {
    put_thing(fmt::format("{}-0", ns), "", ns);
    settle();
    EXPECT_THAT(sender.instances(), Contains(fmt::format("{}-0", ns))) << "while the others get no answer";
  }
  EXPECT_EQ(under_way()["hung"], 28) << "all but an eighth of 32";
}

TEST_F(EngineFairnessTest, ANamespaceAloneAtASmallLaneHasAllOfIt) {
  EngineOptions options;
  options.calls_per_lane = 2;
  start_callers(options);
  put_many(5, "only");
  settle();
  EXPECT_EQ(under_way()["only"], 2);
}

// The first namespace makes the broker fail until the breaker is open for its longest time. First come, first served
// would let hundreds of its calls fail, a minute apart, before the other namespace is asked for.
TEST_F(EngineFairnessTest, ANamespaceWhoseCallsFailDelaysNoOther) {
  EngineOptions options;
  options.calls_per_lane = 4;
  options.breaker_failures = 3;
  start_callers(options);
  put_many(200, "bad");
  settle();
  const auto fail_all = [&] {
    while (!sender.sent.empty()) {
      sender.answer(500);
      settle();
    }
  };
  fail_all();
  for (int i = 0; i < 10; ++i) {
    advance(*engine->next_due() - clock.now());
    fail_all();
  }
  put_thing("good-0", "", "good");
  settle();
  ASSERT_THAT(sender.instances(), ElementsAre("good-0")) << "at once";
  sender.answer(200);
  settle();
  EXPECT_EQ(phase_of(api.get(kThings, "good", "good-0")), "ready");
  fail_all();
  put_thing("good-1", "", "good");
  settle();
  EXPECT_THAT(sender.instances(), ElementsAre("good-1")) << "and again";
}

TEST_F(EngineFairnessTest, ABrokerThatIsDownIsTriedByEachNamespaceOnceAndProbedByOne) {
  EngineOptions options;
  options.breaker_failures = 3;
  start_callers(options);
  size_t failed = 0;
  const auto fail_all = [&] {
    for (; !sender.sent.empty(); ++failed) {
      sender.answer(503);
      settle();
    }
  };
  for (const std::string_view ns : {"a", "b", "c", "d", "e"}) {
    put_many(1, ns);
    settle();
    fail_all();
  }
  EXPECT_EQ(failed, 3u + 4u) << "three of the first one, and one of each other";
  for (size_t probes = 1; probes <= 4; ++probes) {
    advance(*engine->next_due() - clock.now());
    EXPECT_EQ(sender.sent.size(), 1u);
    fail_all();
    EXPECT_EQ(failed, 7u + probes);
  }
}

TEST_F(EngineFairnessTest, ANamespaceWithMuchToLookAtDelaysAnotherByOneRun) {
  std::vector<std::string> order;
  start([&](const client::Object& object, View&) {
    order.emplace_back(object.ns());
    return Step::done();
  });
  put_many(1'000, "busy");
  put_thing("other-0", "", "other");
  settle();
  ASSERT_EQ(order.size(), 1'001u);
  // Changes reach the engine in pieces, and it runs a key between two of them.
  EXPECT_LT(std::find(order.begin(), order.end(), "other") - order.begin(), 100);
}

}  // namespace
}  // namespace chandler::controller::testing
