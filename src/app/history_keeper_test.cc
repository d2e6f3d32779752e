#include "app/history_keeper.h"

#include <gtest/gtest.h>

#include "storage/memory/memory_store.h"
#include "support/eventually.h"
#include "support/fake_clock.h"

namespace chandler::app {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr size_t kPlenty = 1 << 30;

class HistoryKeeperTest : public ::testing::Test {
 protected:
  HistoryKeeperTest() { EXPECT_TRUE(cache_.follow(store_).ok()); }

  // Changes the one object; each change leaves a superseded state behind.
  void write(int times) {
    for (int i = 0; i < times; ++i) {
      const auto done = store_.commit_and_wait(
          {"core/configmaps/ns/a",
           R"({"data":{"a":")" + std::to_string(i) + R"("},"metadata":{"name":"a","namespace":"ns","uid":"u"}})",
           storage::Write::kAny});
      ASSERT_TRUE(done.ok());
    }
  }

  ::chandler::testing::FakeClock clock_;
  metrics::Registry metrics_;
  registry::Cache cache_{nullptr, metrics_};
  storage::MemoryStore store_;
};

// The keeper's own thread looks once in two minutes here, which is longer than any test takes.
TEST_F(HistoryKeeperTest, WhatIsOlderThanTheWindowIsDue) {
  HistoryKeeper keeper(store_, cache_, clock_, minutes(60), kPlenty);
  write(3);
  EXPECT_EQ(keeper.due(), 0);
  clock_.advance(minutes(30));
  write(4);
  EXPECT_EQ(keeper.due(), 0);
  clock_.advance(minutes(30));
  EXPECT_EQ(keeper.due(), 3) << "an hour ago this was the newest";
  EXPECT_EQ(keeper.due(), 0) << "said once";
  clock_.advance(minutes(30));
  EXPECT_EQ(keeper.due(), 7);
}

TEST_F(HistoryKeeperTest, TooMuchMemoryMakesHalfOfItDue) {
  HistoryKeeper keeper(store_, cache_, clock_, minutes(60), 1);
  write(8);
  EXPECT_EQ(keeper.due(), 4);
  ASSERT_TRUE(store_.compact(4).ok());
  EXPECT_EQ(keeper.due(), 6);
}

TEST_F(HistoryKeeperTest, ForgetsByItself) {
  write(8);
  HistoryKeeper keeper(store_, cache_, clock_, seconds(1), 1);
  EXPECT_TRUE(::chandler::testing::eventually([&] { return cache_.floor() >= 4; }));
  EXPECT_EQ(store_.floor(), cache_.floor());
}

}  // namespace
}  // namespace chandler::app
