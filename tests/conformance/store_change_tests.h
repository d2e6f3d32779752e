// What every Store must do over time: the floor, the stream of changes, order, a full queue, the end, a restart.
#pragma once

#include <atomic>
#include <thread>

#include "conformance/store_lab.h"

namespace chandler::storage {

TEST_P(StoreSuite, BelowTheFloorEverythingIsExpired) {
  for (int i = 0; i < 5; ++i) put("a", std::to_string(i));
  ASSERT_TRUE(store().compact(3).ok());
  EXPECT_EQ(store().floor(), 3);
  EXPECT_EQ(store().get("a", 2).error().reason, Reason::kExpired);
  EXPECT_EQ(store().range("", "", 2, [](const Entry&) { return true; }).error().reason, Reason::kExpired);
  EXPECT_EQ(value("a", 3), "2");
  EXPECT_EQ(value("a", 4), "3");
  EXPECT_EQ(value("a"), "4");
}

TEST_P(StoreSuite, TheFloorNeverSinksAndNeverPassesTheNewestRevision) {
  put("a", "1");
  put("a", "2");
  ASSERT_TRUE(store().compact(2).ok());
  ASSERT_TRUE(store().compact(1).ok());
  EXPECT_EQ(store().floor(), 2);
  ASSERT_TRUE(store().compact(99).ok());
  EXPECT_EQ(store().floor(), 2);
  EXPECT_EQ(put("b", "1"), 3);
}

TEST_P(StoreSuite, SinksHearOfARaisedFloorOnce) {
  RecordingSink sink;
  follow(sink);
  put("a", "1");
  put("a", "2");
  ASSERT_TRUE(store().compact(1).ok());
  ASSERT_TRUE(store().compact(1).ok());
  ASSERT_TRUE(store().compact(99).ok());
  EXPECT_THAT(sink.floors(), ::testing::ElementsAre(1, 2));
  store().detach(sink);
}

TEST_P(StoreSuite, RevisionsGoOnAfterEverythingWasDeletedAndForgotten) {
  put("a", "1");
  remove("a");
  ASSERT_TRUE(store().compact(2).ok());
  EXPECT_EQ(store().revision(), 2);
  EXPECT_EQ(all(2), Model{});
  EXPECT_EQ(put("b", "1"), 3);
}

TEST_P(StoreSuite, AttachTellsTheStateAtTheFloorAndThenTheHistory) {
  put("old", "1");      // 1
  put("changed", "1");  // 2
  put("gone", "1");     // 3
  remove("gone");       // 4
  put("changed", "2");  // 5
  put("late", "1");     // 6
  remove("old");        // 7
  ASSERT_TRUE(store().compact(5).ok());

  RecordingSink sink;
  Model at_floor;
  ASSERT_TRUE(store()
                  .attach(sink,
                          [&](const Entry& entry) {
                            EXPECT_EQ(sink.last(), 0) << "state comes before history";
                            EXPECT_EQ(entry.revision, entry.key == "old" ? 1 : 5);
                            at_floor.emplace(entry.key, entry.value);
                          })
                  .ok());
  EXPECT_EQ(at_floor, (Model{{"old", "1"}, {"changed", "2"}}));
  EXPECT_THAT(sink.told(), ::testing::ElementsAre(6, 7));
  put("next", "1");
  EXPECT_THAT(sink.told(), ::testing::ElementsAre(6, 7, 8));
  store().detach(sink);
}

TEST_P(StoreSuite, ADetachedSinkHearsNoMore) {
  RecordingSink gone;
  RecordingSink stays;
  follow(gone);
  follow(stays);
  put("a", "1");
  store().detach(gone);
  put("a", "2");
  EXPECT_EQ(gone.last(), 1);
  EXPECT_EQ(stays.last(), 2);
  store().detach(stays);
}

TEST_P(StoreSuite, AWriterIsToldAfterTheSinks) {
  RecordingSink sink;
  follow(sink);
  for (int i = 0; i < 100; ++i) {
    const auto revision = put("a", std::to_string(i));
    ASSERT_EQ(sink.last(), revision);
  }
  store().detach(sink);
}

TEST_P(StoreSuite, WritesOfOneThreadKeepTheirOrder) {
  constexpr int kThreads = 4;
  constexpr int kWrites = 200;
  open();
  std::vector<std::vector<Revision>> revisions(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      auto& mine = revisions[static_cast<size_t>(t)];
      for (int i = 0; i < kWrites; ++i) {
        // Some write in bursts, one of them forgets to end them.
        store().commit({"k" + std::to_string(t), std::to_string(i), Write::kAny, nullptr, t >= 2},
                       [&mine](Result<WriteOutcome> outcome) { mine.push_back(outcome.value().revision); });
        if (t == 2 && i % 20 == 0) store().end_burst();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  store().stop();
  EXPECT_EQ(store().revision(), kThreads * kWrites);
  for (int t = 0; t < kThreads; ++t) {
    const auto& mine = revisions[static_cast<size_t>(t)];
    EXPECT_EQ(mine.size(), static_cast<size_t>(kWrites));
    EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
    EXPECT_EQ(value("k" + std::to_string(t)), std::to_string(kWrites - 1));
  }
}

TEST_P(StoreSuite, AttachHasNoGapWhileOthersWriteAndCompact) {
  constexpr int kWriters = 4;
  constexpr int kSinks = 8;
  std::atomic<bool> done{false};
  open();
  std::vector<std::thread> threads;
  for (int t = 0; t < kWriters; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; !done; ++i) {
        const auto key = std::to_string(t) + "/" + std::to_string(i % 7);
        const bool removes = i % 5 == 4;
        ASSERT_TRUE(store().commit_and_wait({key, removes ? std::nullopt : std::optional(std::to_string(i))}).ok());
      }
    });
  }
  threads.emplace_back([&] {
    while (!done) ASSERT_TRUE(store().compact(store().revision() - 20).ok());
  });
  std::vector<std::unique_ptr<RecordingSink>> sinks;
  for (int i = 0; i < kSinks; ++i) {
    sinks.push_back(std::make_unique<RecordingSink>());
    follow(*sinks.back());
    const Revision attached_at = store().revision();
    while (store().revision() < attached_at + 50) std::this_thread::yield();
  }
  done = true;
  for (auto& thread : threads) thread.join();
  const Model want = all();
  for (const auto& sink : sinks) {
    EXPECT_TRUE(sink->faultless());
    EXPECT_EQ(sink->last(), store().revision());
    EXPECT_EQ(sink->state(), want);
    store().detach(*sink);
  }
}

TEST_P(StoreSuite, AFullQueueRefusesAtOnce) {
  CommitLimits limits;
  limits.queue_writes = 3;
  open(limits);
  BlockingSink sink;
  ASSERT_TRUE(store().attach(sink, [](const Entry&) {}).ok());
  std::atomic<int> committed{0};
  const auto count = [&](Result<WriteOutcome> outcome) { committed += outcome.ok() ? 1 : 0; };
  store().commit({"first", "1"}, count);
  sink.wait_until_entered();
  for (int i = 0; i < 3; ++i) store().commit({"queued" + std::to_string(i), "1"}, count);
  const auto refused = store().commit_and_wait({"refused", "1"});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kTooManyRequests);
  EXPECT_TRUE(refused.error().retry_after_seconds);
  sink.let_go();
  store().detach(sink);
  EXPECT_EQ(committed, 4);
  EXPECT_EQ(value("refused"), std::nullopt);
  EXPECT_TRUE(write("later", "1").committed);
}

TEST_P(StoreSuite, StopFinishesWhatIsQueuedRefusesMoreAndReadsGoOn) {
  std::atomic<int> committed{0};
  for (int i = 0; i < 100; ++i) {
    store().commit({"k" + std::to_string(i), "v"},
                   [&](Result<WriteOutcome> outcome) { committed += outcome.ok() ? 1 : 0; });
  }
  store().stop();
  EXPECT_EQ(committed, 100);
  const auto refused = store().commit_and_wait({"late", "v"});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kServiceUnavailable);
  EXPECT_EQ(all().size(), 100u);
  RecordingSink sink;
  follow(sink);
  EXPECT_EQ(sink.state().size(), 100u);
  store().detach(sink);
  store().stop();
}

TEST_P(DurableStoreSuite, ARestartKeepsStateHistoryFloorAndRevision) {
  put("a", "1");  // 1
  put("a", "2");  // 2
  put("b", "1");  // 3
  remove("b");    // 4
  put("c", "1");  // 5
  ASSERT_TRUE(store().compact(2).ok());
  open();
  EXPECT_EQ(store().revision(), 5);
  EXPECT_EQ(store().floor(), 2);
  EXPECT_EQ(all(), (Model{{"a", "2"}, {"c", "1"}}));
  EXPECT_EQ(all(3), (Model{{"a", "2"}, {"b", "1"}}));
  EXPECT_EQ(store().get("a", 1).error().reason, Reason::kExpired);
  RecordingSink sink;
  follow(sink);
  EXPECT_THAT(sink.told(), ::testing::ElementsAre(3, 4, 5));
  EXPECT_EQ(sink.state(), all());
  store().detach(sink);
  EXPECT_FALSE(write("a", "x", Write::kAbsent).committed);
  EXPECT_EQ(put("d", "1"), 6);
}

TEST_P(DurableStoreSuite, RevisionsDoNotGoBackWhenTheNewestWriteWasADeleteAndForgotten) {
  for (int restart = 1; restart <= 3; ++restart) {
    put("a", "1");
    const Revision last = remove("a");
    ASSERT_EQ(last, 2 * restart);
    ASSERT_TRUE(store().compact(last).ok());
    open();
    ASSERT_EQ(store().revision(), last);
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DurableStoreSuite);
}  // namespace chandler::storage
