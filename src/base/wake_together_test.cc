#include "base/wake_together.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace chandler {
namespace {

TEST(WakeTogether, WakesAtOnceOutsideOfAScope) {
  std::string story;
  WakeTogether::wake([&] { story += "woken "; });
  story += "went on";
  EXPECT_EQ(story, "woken went on");
}

TEST(WakeTogether, WakesAtTheEndOfTheScopeInOrder) {
  std::string story;
  {
    const WakeTogether scope;
    WakeTogether::wake([&] { story += "first "; });
    WakeTogether::wake([&] { story += "second "; });
    story += "passed on ";
  }
  WakeTogether::wake([&] { story += "after"; });
  EXPECT_EQ(story, "passed on first second after");
}

TEST(WakeTogether, WhoIsWokenMayWakeOthers) {
  std::string story;
  {
    const WakeTogether scope;
    WakeTogether::wake([&] { WakeTogether::wake([&] { story += "and another"; }); });
  }
  EXPECT_EQ(story, "and another");
}

TEST(WakeTogether, IsOfItsThreadAlone) {
  const WakeTogether scope;
  bool woken = false;
  std::thread([&] { WakeTogether::wake([&] { woken = true; }); }).join();
  EXPECT_TRUE(woken);
}

}  // namespace
}  // namespace chandler
