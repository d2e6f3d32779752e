#include "controller/lane.h"

#include <gtest/gtest.h>

namespace chandler::controller {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const WallTime kNow(seconds(1'000));

Lane lane_with(size_t calls, size_t failures) {
  return {"azure", LaneLimits{calls, failures, milliseconds(1'000), milliseconds(4'000)}};
}

TEST(Lane, FirstComeFirstServed) {
  auto lane = lane_with(1, 5);
  const auto a = lane.join(10);
  const auto b = lane.join(20);
  EXPECT_EQ(lane.front(), 10u);
  EXPECT_TRUE(lane.is_front(a));
  lane.leave(a);
  EXPECT_TRUE(lane.is_front(b));
  lane.leave(b);
  EXPECT_FALSE(lane.front().has_value());
  EXPECT_TRUE(lane.is_forgettable());
}

TEST(Lane, HasAsManySlotsAsAllowed) {
  auto lane = lane_with(2, 5);
  lane.join(1);
  lane.sent(kNow);
  EXPECT_TRUE(lane.is_ready(kNow));
  lane.sent(kNow);
  EXPECT_FALSE(lane.is_ready(kNow));
  lane.answered(kNow, false);
  EXPECT_TRUE(lane.is_ready(kNow));
}

TEST(Lane, FailuresMustBeInARow) {
  auto lane = lane_with(1, 2);
  for (int i = 0; i < 5; ++i) {
    for (const bool failed : {true, false}) {
      lane.sent(kNow);
      lane.answered(kNow, failed);
    }
  }
  EXPECT_FALSE(lane.open_until().has_value());
}

TEST(Lane, TheDelayDoublesUpToItsLimitAndStartsAnew) {
  auto lane = lane_with(1, 1);
  WallTime now = kNow;
  std::chrono::microseconds last{0};
  for (const int expected : {1'000, 2'000, 4'000, 4'000}) {
    lane.sent(now);
    EXPECT_FALSE(lane.has_slot(now));
    lane.answered(now, true);
    ASSERT_TRUE(lane.open_until().has_value());
    last = *lane.open_until() - now;
    EXPECT_GE(last, milliseconds(expected) * 3 / 4) << expected;
    EXPECT_LE(last, milliseconds(expected) * 5 / 4) << expected;
    EXPECT_FALSE(lane.has_slot(*lane.open_until() - std::chrono::microseconds(1)));
    now = *lane.open_until();
  }
  lane.sent(now);
  lane.answered(now, false);
  EXPECT_FALSE(lane.open_until().has_value());
  lane.sent(now);
  lane.answered(now, true);
  EXPECT_LE(*lane.open_until() - now, milliseconds(1'250));
}

TEST(Lane, OnlyOneGoesThroughWhileHalfOpen) {
  auto lane = lane_with(5, 1);
  lane.sent(kNow);
  lane.answered(kNow, true);
  const auto later = *lane.open_until();
  EXPECT_TRUE(lane.has_slot(later));
  lane.sent(later);
  EXPECT_FALSE(lane.has_slot(later));
  lane.answered(later, false);
  EXPECT_TRUE(lane.has_slot(later));
}

TEST(Lane, AFailureIsRemembered) {
  auto lane = lane_with(1, 5);
  lane.sent(kNow);
  lane.answered(kNow, true);
  EXPECT_TRUE(lane.is_idle());
  EXPECT_FALSE(lane.is_forgettable());
}

}  // namespace
}  // namespace chandler::controller
