#include "storage/commit_thread.h"

#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace chandler::storage {
namespace {

using ::testing::ElementsAre;

constexpr auto kForGood = std::chrono::hours(24);

// Everything succeeds; keeps how many writes each commit had.
class FakeEngine final : public CommitEngine {
 public:
  Result<std::vector<WriteOutcome>> apply(std::span<const Write> batch) override {
    batches.push_back(batch.size());
    std::vector<WriteOutcome> out;
    for (size_t i = 0; i < batch.size(); ++i) out.push_back({true, ++revision_});
    return out;
  }

  std::vector<size_t> batches;  // to be read when the thread has stopped

 private:
  Revision revision_ = 0;
};

class CommitThreadTest : public ::testing::Test {
 protected:
  std::future<void> write(bool more_follows) {
    auto done = std::make_shared<std::promise<void>>();
    thread.commit({.key = "k", .value = "v", .more_follows = more_follows},
                  [done](const Result<WriteOutcome>&) { done->set_value(); });
    return done->get_future();
  }

  FakeEngine engine;
  CommitThread thread{engine, {.burst_writes = 4, .burst_wait = kForGood}, 0, nullptr};
};

TEST_F(CommitThreadTest, ABurstIsOneCommitWhenItEnds) {
  auto first = write(true);
  auto second = write(true);
  auto between = write(false);  // of somebody else: goes with it
  thread.end_burst();
  first.wait();
  second.wait();
  between.wait();
  thread.stop();
  EXPECT_THAT(engine.batches, ElementsAre(3));
}

TEST_F(CommitThreadTest, ABurstThatIsLargeEnoughIsNotWaitedFor) {
  std::vector<std::future<void>> written;
  for (int i = 0; i < 4; ++i) written.push_back(write(true));
  for (auto& one : written) one.wait();  // though nobody ends it
  thread.stop();
  EXPECT_THAT(engine.batches, ElementsAre(4));
}

TEST_F(CommitThreadTest, TheEndOfABurstIsForWhatIsQueuedOnly) {
  thread.end_burst();  // nothing is
  auto first = write(true);
  thread.end_burst();
  first.wait();
  auto second = write(true);
  auto third = write(true);
  thread.end_burst();
  second.wait();
  third.wait();
  thread.stop();
  EXPECT_THAT(engine.batches, ElementsAre(1, 2));
}

TEST_F(CommitThreadTest, WhoWaitsForTheThreadEndsABurst) {
  auto written = write(true);
  thread.run([] {});
  written.wait();
  auto last = write(true);
  thread.stop();
  last.wait();
  EXPECT_THAT(engine.batches, ElementsAre(1, 1));
}

TEST(CommitThread, ABurstThatNobodyEndsIsCommittedAllTheSame) {
  FakeEngine engine;
  CommitThread thread{engine, {.burst_writes = 4, .burst_wait = std::chrono::milliseconds(1)}, 0, nullptr};
  std::promise<void> done;
  thread.commit({.key = "k", .value = "v", .more_follows = true},
                [&](const Result<WriteOutcome>&) { done.set_value(); });
  done.get_future().wait();
}

TEST(CommitThread, ABurstUnderWayDoesNotKeepTheThreadFromEnding) {
  FakeEngine engine;
  std::promise<void> done;
  {
    CommitThread thread{engine, {.burst_writes = 4, .burst_wait = kForGood}, 0, nullptr};
    thread.commit({.key = "k", .value = "v", .more_follows = true},
                  [&](const Result<WriteOutcome>&) { done.set_value(); });
  }
  done.get_future().wait();
  EXPECT_THAT(engine.batches, ElementsAre(1));
}

}  // namespace
}  // namespace chandler::storage
