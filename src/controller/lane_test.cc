#include "controller/lane.h"

#include <gtest/gtest.h>

#include <vector>

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
  const auto a = lane.join("dev", 10);
  const auto b = lane.join("dev", 20);
  EXPECT_EQ(lane.front(), 10u);
  EXPECT_TRUE(lane.is_front("dev", a));
  lane.leave("dev", a);
  EXPECT_TRUE(lane.is_front("dev", b));
  lane.leave("dev", b);
  EXPECT_FALSE(lane.front().has_value());
  EXPECT_TRUE(lane.is_forgettable());
}

TEST(Lane, HasAsManySlotsAsAllowed) {
  auto lane = lane_with(2, 5);
  lane.join("dev", 1);
  lane.sent("dev", kNow);
  EXPECT_TRUE(lane.is_ready(kNow));
  lane.sent("dev", kNow);
  EXPECT_FALSE(lane.is_ready(kNow));
  lane.answered("dev", kNow, false);
  EXPECT_TRUE(lane.is_ready(kNow));
}

TEST(Lane, FailuresMustBeInARow) {
  auto lane = lane_with(1, 2);
  for (int i = 0; i < 5; ++i) {
    for (const bool failed : {true, false}) {
      lane.sent("dev", kNow);
      lane.answered("dev", kNow, failed);
    }
  }
  EXPECT_FALSE(lane.open_until().has_value());
}

TEST(Lane, TheDelayDoublesUpToItsLimitAndStartsAnew) {
  auto lane = lane_with(1, 1);
  WallTime now = kNow;
  std::chrono::microseconds last{0};
  for (const int expected : {1'000, 2'000, 4'000, 4'000}) {
    lane.sent("dev", now);
    EXPECT_FALSE(lane.has_slot("dev", now));
    lane.answered("dev", now, true);
    ASSERT_TRUE(lane.open_until().has_value());
    last = *lane.open_until() - now;
    EXPECT_GE(last, milliseconds(expected) * 3 / 4) << expected;
    EXPECT_LE(last, milliseconds(expected) * 5 / 4) << expected;
    EXPECT_FALSE(lane.has_slot("dev", *lane.open_until() - std::chrono::microseconds(1)));
    now = *lane.open_until();
  }
  lane.sent("dev", now);
  lane.answered("dev", now, false);
  EXPECT_FALSE(lane.open_until().has_value());
  lane.sent("dev", now);
  lane.answered("dev", now, true);
  EXPECT_LE(*lane.open_until() - now, milliseconds(1'250));
}

TEST(Lane, OnlyOneGoesThroughWhileHalfOpen) {
  auto lane = lane_with(5, 1);
  lane.sent("dev", kNow);
  lane.answered("dev", kNow, true);
  const auto later = *lane.open_until();
  EXPECT_TRUE(lane.has_slot("dev", later));
  lane.sent("dev", later);
  EXPECT_FALSE(lane.has_slot("dev", later));
  lane.answered("dev", later, false);
  EXPECT_TRUE(lane.has_slot("dev", later));
}

TEST(Lane, NamespacesTakeTurns) {
  auto lane = lane_with(1, 5);
  std::vector<Lane::Ticket> a;
  for (const KeyId key : {1u, 2u, 3u}) a.push_back(lane.join("a", key));
  const auto b = lane.join("b", 11);
  EXPECT_EQ(lane.front(), 1u);
  EXPECT_FALSE(lane.is_front("b", b));
  lane.sent("a", kNow);
  lane.leave("a", a[0]);
  EXPECT_EQ(lane.front(), 11u) << "a has one under way";
  lane.answered("a", kNow, false);
  EXPECT_EQ(lane.front(), 11u) << "a was served later";
  EXPECT_TRUE(lane.is_front("b", b));
  lane.sent("b", kNow);
  lane.leave("b", b);
  EXPECT_EQ(lane.front(), 2u);
  EXPECT_EQ(lane.waiting(), 2u);
}

TEST(Lane, TheLastSlotsAreForNamespacesWithoutACall) {
  auto lane = lane_with(16, 5);
  for (int i = 0; i < 14; ++i) lane.sent("a", kNow);
  EXPECT_FALSE(lane.has_slot("a", kNow));
  EXPECT_TRUE(lane.has_slot("b", kNow));
  lane.sent("b", kNow);
  EXPECT_FALSE(lane.has_slot("b", kNow));
  lane.sent("c", kNow);
  EXPECT_FALSE(lane.has_slot("d", kNow)) << "all are taken";
  lane.answered("a", kNow, false);
  EXPECT_TRUE(lane.has_slot("d", kNow));
  EXPECT_FALSE(lane.has_slot("a", kNow));
}

TEST(Lane, ANamespaceThatHasNotFailedMayTryWhileTheBreakerIsOpen) {
  auto lane = lane_with(5, 1);
  lane.sent("bad", kNow);
  lane.answered("bad", kNow, true);
  EXPECT_FALSE(lane.has_slot("bad", kNow));
  EXPECT_TRUE(lane.has_slot("good", kNow));
  lane.sent("good", kNow);
  EXPECT_FALSE(lane.has_slot("good", kNow)) << "one at a time";
  EXPECT_TRUE(lane.has_slot("other", kNow));
  lane.answered("good", kNow, true);
  EXPECT_FALSE(lane.has_slot("good", kNow)) << "it has failed as well, and waits with the others";
  const auto later = *lane.open_until();
  EXPECT_LE(later - kNow, milliseconds(1'250)) << "such a failure tells the breaker nothing new";
  EXPECT_TRUE(lane.has_slot("good", later));
  lane.sent("bad", later);
  EXPECT_FALSE(lane.has_slot("good", later)) << "one probe";
  lane.answered("bad", later, true);
  lane.sent("other", later);
  lane.answered("other", later, false);
  EXPECT_FALSE(lane.open_until().has_value());
  EXPECT_TRUE(lane.has_slot("bad", later));
  EXPECT_TRUE(lane.is_forgettable());
}

TEST(Lane, ThoseThatHaveNotFailedGoFirst) {
  auto lane = lane_with(1, 5);
  lane.sent("bad", kNow);
  lane.answered("bad", kNow, true);
  lane.join("bad", 1);
  lane.join("good", 2);
  EXPECT_EQ(lane.front(), 2u);
}

TEST(Lane, AFailureIsRemembered) {
  auto lane = lane_with(1, 5);
  lane.sent("dev", kNow);
  lane.answered("dev", kNow, true);
  EXPECT_TRUE(lane.is_idle());
  EXPECT_FALSE(lane.is_forgettable());
}

}  // namespace
}  // namespace chandler::controller
