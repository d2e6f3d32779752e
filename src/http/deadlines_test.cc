#include "http/deadlines.h"

#include <gtest/gtest.h>

#include <memory>

namespace chandler::http {
namespace {

using std::chrono::milliseconds;

struct Entry final : Deadline {
  void expire() override {}
};

class DeadlinesTest : public ::testing::Test {
 protected:
  Deadlines::Time at(int ms) const { return Deadlines::Time{} + milliseconds(ms); }
  Deadlines deadlines_{
      {milliseconds(10), milliseconds(100), milliseconds(20), milliseconds(30), milliseconds(40), milliseconds(50)}};
};

TEST_F(DeadlinesTest, ExpireAfterTheDurationOfTheirStage) {
  Entry handshake, idle;
  deadlines_.arm(idle, Stage::kIdle, at(0));
  deadlines_.arm(handshake, Stage::kHandshake, at(5));
  EXPECT_EQ(deadlines_.pop_expired(at(14)), nullptr);
  EXPECT_EQ(deadlines_.pop_expired(at(15)), &handshake);
  EXPECT_EQ(deadlines_.pop_expired(at(99)), nullptr);
  EXPECT_EQ(deadlines_.pop_expired(at(100)), &idle);
  EXPECT_EQ(deadlines_.pop_expired(at(1000)), nullptr);
}

TEST_F(DeadlinesTest, ArmingAgainReplaces) {
  Entry first, second;
  deadlines_.arm(first, Stage::kIdle, at(0));
  deadlines_.arm(second, Stage::kIdle, at(1));
  deadlines_.arm(first, Stage::kIdle, at(50));
  EXPECT_EQ(deadlines_.pop_expired(at(120)), &second);
  EXPECT_EQ(deadlines_.pop_expired(at(120)), nullptr);
  deadlines_.arm(first, Stage::kHead, at(60));
  EXPECT_EQ(deadlines_.pop_expired(at(80)), &first);
}

TEST_F(DeadlinesTest, DisarmedAndDestroyedEntriesDoNotExpire) {
  Entry disarmed;
  auto destroyed = std::make_unique<Entry>();
  deadlines_.arm(disarmed, Stage::kBody, at(0));
  deadlines_.arm(*destroyed, Stage::kBody, at(0));
  disarmed.disarm();
  destroyed.reset();
  EXPECT_EQ(deadlines_.pop_expired(at(1000)), nullptr);
}

}  // namespace
}  // namespace chandler::http
