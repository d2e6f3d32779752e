#include "base/wake_together.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace chandler {
namespace {

TEST(WakeTogether, OutsideOfAScopeNothingIsPutOff) {
  EXPECT_FALSE(WakeTogether::put_off([] { ADD_FAILURE() << "the caller wakes"; }));
}

TEST(WakeTogether, WakesAtTheEndOfTheScopeInOrder) {
  std::string story;
  {
    const WakeTogether scope;
    EXPECT_TRUE(WakeTogether::put_off([&] { story += "first "; }));
    EXPECT_TRUE(WakeTogether::put_off([&] { story += "second"; }));
    story += "passed on ";
  }
  EXPECT_EQ(story, "passed on first second");
  EXPECT_FALSE(WakeTogether::put_off([] {}));
}

TEST(WakeTogether, WhoIsWokenIsInNoScope) {
  bool put_off = true;
  {
    const WakeTogether scope;
    WakeTogether::put_off([&] { put_off = WakeTogether::put_off([] {}); });
  }
  EXPECT_FALSE(put_off);
}

TEST(WakeTogether, IsOfItsThreadAlone) {
  const WakeTogether scope;
  bool put_off = true;
  std::thread([&] { put_off = WakeTogether::put_off([] {}); }).join();
  EXPECT_FALSE(put_off);
}

}  // namespace
}  // namespace chandler
