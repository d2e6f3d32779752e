#include "base/pool.h"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace chandler {
namespace {

using ::testing::ElementsAre;

std::string this_thread_name() {
  char name[32] = {};
  pthread_getname_np(pthread_self(), name, sizeof name);
  return name;
}

// Work that keeps a thread busy until it is released.
class Gate {
 public:
  std::function<void()> work() {
    return [this] {
      entered_.set_value();
      opened_.wait();
    };
  }
  void wait_until_entered() { entered_.get_future().wait(); }
  void open() { open_.set_value(); }

 private:
  std::promise<void> entered_;
  std::promise<void> open_;
  std::shared_future<void> opened_ = open_.get_future().share();
};

TEST(Pool, RunsAllThatItAccepted) {
  std::atomic<int> ran = 0;
  {
    Pool pool("work", 3, 1000);
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(pool.submit([&] { ++ran; }));
  }
  EXPECT_EQ(ran, 1000);
}

TEST(Pool, OneThreadKeepsTheOrder) {
  std::vector<int> order;
  Pool pool("work", 1, 10);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(pool.submit([&order, i] { order.push_back(i); }));
  pool.stop();
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3, 4));
}

TEST(Pool, RefusesWorkWhenTheQueueIsFull) {
  std::atomic<int> ran = 0;
  Gate gate;
  Pool pool("work", 1, 2);
  ASSERT_TRUE(pool.submit(gate.work()));
  gate.wait_until_entered();
  EXPECT_TRUE(pool.submit([&] { ++ran; }));
  EXPECT_TRUE(pool.submit([&] { ++ran; }));
  EXPECT_FALSE(pool.submit([&] { ran += 100; }));
  gate.open();
  pool.stop();
  EXPECT_EQ(ran, 2);
}

TEST(Pool, RefusesWorkOnceStopped) {
  Pool pool("work", 1, 10);
  pool.stop();
  EXPECT_FALSE(pool.submit([] { FAIL() << "must not run"; }));
  pool.stop();
}

TEST(Pool, UsesItsThreadsAtTheSameTime) {
  Gate first;
  Gate second;
  Pool pool("work", 2, 2);
  ASSERT_TRUE(pool.submit(first.work()));
  ASSERT_TRUE(pool.submit(second.work()));
  // With one thread the second gate would never be entered while the first is shut.
  first.wait_until_entered();
  second.wait_until_entered();
  first.open();
  second.open();
}

TEST(Pool, NamesItsThreads) {
  std::string short_name;
  std::string long_name;
  Pool short_pool("api", 1, 1);
  Pool long_pool("reconciler-engine", 1, 1);
  ASSERT_TRUE(short_pool.submit([&] { short_name = this_thread_name(); }));
  ASSERT_TRUE(long_pool.submit([&] { long_name = this_thread_name(); }));
  short_pool.stop();
  long_pool.stop();
  EXPECT_EQ(short_name, "api-0");
  EXPECT_EQ(long_name, "reconciler-en-0");
}

TEST(Pool, MaySubmitFromItsOwnWork) {
  std::promise<void> ran;
  Pool pool("work", 1, 1);
  ASSERT_TRUE(pool.submit([&] { EXPECT_TRUE(pool.submit([&] { ran.set_value(); })); }));
  ran.get_future().wait();
}

TEST(LetOthersFinish, IsOfOneThreadOnly) {
  std::thread([] {
    let_others_finish();
    EXPECT_EQ(::sched_getscheduler(0), SCHED_BATCH);
  }).join();
  EXPECT_EQ(::sched_getscheduler(0), SCHED_OTHER);
}

TEST(NameThisThread, CutsLongNames) {
  std::thread([] {
    name_this_thread("a-name-of-more-than-fifteen");
    EXPECT_EQ(this_thread_name(), "a-name-of-more-");
  }).join();
}

}  // namespace
}  // namespace chandler
