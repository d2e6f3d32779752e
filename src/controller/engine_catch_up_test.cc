// A key that waits for what was decided before it asked: View::has_caught_up().
#include <gmock/gmock.h>

#include "controller/engine_fixture.h"

namespace chandler::controller::testing {
namespace {

using ::testing::ElementsAre;

TEST_F(EngineTest, AKeyCanWaitUntilItSeesWhatWasDecidedBefore) {
  std::vector<bool> answers;
  bool asks = true;
  start([&](const client::Object& object, View& view) {
    if (object.name() == "asker") {
      if (asks) answers.push_back(view.has_caught_up(kThings));
      return Step::done();
    }
    return phase_of(object).empty() ? Step::write(to_phase(object, "begun")) : Step::done();
  });
  api.hold_writes = true;
  put_thing("a");
  put_thing("b");
  settle();
  put_thing("asker");
  settle();
  EXPECT_THAT(answers, ElementsAre(false));
  put_thing("later");  // decided after the question
  settle();
  ASSERT_EQ(api.held.size(), 3u);
  api.release(1);
  settle();
  EXPECT_THAT(answers, ElementsAre(false)) << "one is still missing";
  api.fail_before = [](const client::Write&) { return std::optional(unavailable("no")); };
  api.release(1);
  settle();
  EXPECT_THAT(answers, ElementsAre(false, true)) << "a write that failed has ended too";
  put_thing("asker", "spec: {x: y}");
  settle();
  EXPECT_THAT(answers, ElementsAre(false, true, true)) << "it asks about the same moment as before";
  asks = false;
  put_thing("asker", "spec: {x: z}");
  settle();
  asks = true;
  put_thing("asker", "spec: {x: y}");
  settle();
  EXPECT_THAT(answers, ElementsAre(false, true, true, false)) << "it had something else in mind meanwhile";

  // Another object of the same name asks for the first time.
  api.remove(kThings, "dev", "asker");
  put_thing("asker");
  settle();
  EXPECT_THAT(answers, ElementsAre(false, true, true, false, false));
  api.remove(kThings, "dev", "asker");
  api.release();
  settle();
  EXPECT_THAT(answers, ElementsAre(false, true, true, false, false)) << "it is gone";
}

TEST_F(EngineTest, WritesOfOtherKindsAreNotWaitedFor) {
  std::vector<bool> answers;
  start([&](const client::Object& object, View& view) {
    if (object.name() == "a") return Step::write(to_phase(object, "begun"));
    answers.push_back(view.has_caught_up(kParts));
    return Step::done();
  });
  api.hold_writes = true;
  put_thing("a");
  put_thing("b");
  settle();
  EXPECT_THAT(answers, ElementsAre(true));
}

}  // namespace
}  // namespace chandler::controller::testing
