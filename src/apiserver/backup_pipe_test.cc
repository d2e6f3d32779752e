#include "apiserver/backup_pipe.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace chandler::apiserver {
namespace {

using State = http::BodySource::State;

class CountingWaker final : public http::Waker {
 public:
  void wake() override { ++woken; }
  std::atomic<int> woken{0};
};

TEST(BackupPipe, WhatGoesInComesOutInOrderWithinTheBudget) {
  auto pipe = std::make_shared<BackupPipe>();
  const auto waker = std::make_shared<CountingWaker>();
  BackupSource source(pipe);
  std::string out;
  EXPECT_EQ(source.fill(out, 100), State::kWaiting);
  pipe->wake_with(waker);
  ASSERT_TRUE(pipe->put("abc"));
  ASSERT_TRUE(pipe->put("defg"));
  EXPECT_EQ(waker->woken, 2);
  EXPECT_EQ(source.fill(out, 2), State::kMore);
  EXPECT_EQ(out, "ab");
  EXPECT_EQ(source.fill(out, 3), State::kMore);
  EXPECT_EQ(out, "abcde");
  EXPECT_EQ(source.fill(out, 100), State::kWaiting);
  pipe->close();
  EXPECT_EQ(waker->woken, 3);
  EXPECT_EQ(source.fill(out, 100), State::kEnd);
  EXPECT_EQ(out, "abcdefg");
}

TEST(BackupPipe, ASlowReaderHoldsTheWriterBackAndASwiftOneGetsEverything) {
  auto pipe = std::make_shared<BackupPipe>();
  constexpr int kPieces = 1000;
  std::thread writer([&] {
    for (int i = 0; i < kPieces; ++i) ASSERT_TRUE(pipe->put(std::string(100, 'x')));
    pipe->close();
  });
  std::string out;
  size_t most = 0;
  for (size_t before = 0;; before = out.size()) {
    const auto state = pipe->take(out, 1 << 20);
    most = std::max(most, out.size() - before);
    if (state == State::kEnd) break;
    std::this_thread::yield();
  }
  writer.join();
  EXPECT_EQ(out.size(), 100u * kPieces);
  EXPECT_LE(most, 100u * 8) << "no more than a few pieces wait";
}

TEST(BackupPipe, AWriterDoesNotWaitForAReaderThatHasGone) {
  auto pipe = std::make_shared<BackupPipe>();
  auto source = std::make_unique<BackupSource>(pipe);
  std::atomic<bool> told{false};
  std::thread writer([&] {
    while (pipe->put("x")) {
    }
    told = true;
  });
  std::string out;
  while (source->fill(out, 1) != State::kMore) std::this_thread::yield();
  source.reset();
  writer.join();
  EXPECT_TRUE(told);
  EXPECT_TRUE(pipe->is_abandoned());
}

TEST(BackupPipe, AServerThatStopsEndsTheBodyEarly) {
  auto pipe = std::make_shared<BackupPipe>();
  BackupSource source(pipe);
  ASSERT_TRUE(pipe->put("abc"));
  source.shut_down();
  std::string out;
  EXPECT_EQ(source.fill(out, 100), State::kEnd);
  EXPECT_EQ(out, "");
  EXPECT_FALSE(pipe->put("def"));
}

}  // namespace
}  // namespace chandler::apiserver
