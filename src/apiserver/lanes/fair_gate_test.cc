#include "apiserver/lanes/fair_gate.h"

#include <thread>

#include <gtest/gtest.h>

namespace chandler::apiserver {
namespace {

using std::chrono::seconds;

// Work that is under way until it is told to end. Not thread-safe.
class FakeExecutor {
 public:
  class Work final : public FairGate::Waiter {
   public:
    Work(FakeExecutor& executor, std::string name) : executor_(executor), name_(std::move(name)) {}
    FairGate::Seat& seat() override { return seat_; }
    void start() override { executor_.running_.push_back(this); }
    void refuse() override { executor_.refused.push_back(name_); }
    FairGate::Seat seat_;

   private:
    friend class FakeExecutor;
    FakeExecutor& executor_;
    const std::string name_;
  };

  // How it went: "in", "waits" or "full".
  std::string want(FairGate& gate, const std::string& flow, uint32_t width = 1, MonoTime now = {}) {
    all_.push_back(std::make_shared<Work>(*this, flow));
    auto& work = all_.back();
    if (gate.try_enter(work->seat_, width)) {
      work->start();
      return "in";
    }
    return gate.wait(flow, width, now, work) ? "waits" : "full";
  }
  // Ends what has run for longest; who it was.
  std::string end_one() {
    if (running_.empty()) return "";
    auto* first = running_.front();
    running_.erase(running_.begin());
    first->seat_.leave();
    return first->name_;
  }
  size_t running() const { return running_.size(); }
  size_t running(const std::string& name) const {
    size_t count = 0;
    for (const auto* work : running_) count += work->name_ == name ? 1 : 0;
    return count;
  }

  std::vector<std::string> refused;

 private:
  std::vector<Work*> running_;
  std::vector<std::shared_ptr<Work>> all_;  // goes first: the end of one may start another
};

FairGate::Limits limits(uint32_t seats, size_t queue = 1000) {
  FairGate::Limits out;
  out.seats = seats;
  out.queue_per_flow = queue;
  return out;
}

TEST(FairGate, LetsInUntilTheSeatsAreTaken) {
  FairGate gate(limits(2));
  FakeExecutor executor;
  EXPECT_EQ(executor.want(gate, "a"), "in");
  EXPECT_EQ(executor.want(gate, "a"), "in");
  EXPECT_EQ(executor.want(gate, "a"), "waits");
  EXPECT_EQ(executor.running(), 2U);
  EXPECT_EQ(gate.used(), 2U);
  EXPECT_EQ(gate.waiting(), 1U);
  EXPECT_EQ(executor.end_one(), "a");
  EXPECT_EQ(executor.running(), 2U);
  EXPECT_EQ(gate.waiting(), 0U);
}

// The reason for it all: how much of the flood is served before somebody else is does not depend on the flood.
TEST(FairGate, AFloodOfOneFlowKeepsAnotherWaitingForOneTurnOnly) {
  for (const size_t flood : {10U, 256U, 5000U}) {
    FairGate gate(limits(4, 10'000));
    FakeExecutor executor;
    for (size_t i = 0; i < flood; ++i) executor.want(gate, "flood");
    EXPECT_EQ(executor.want(gate, "quiet"), "waits");
    size_t served = 0;
    while (executor.running("quiet") == 0) {
      ASSERT_EQ(executor.end_one(), "flood");
      ++served;
    }
    EXPECT_LE(served, 2U) << flood;
  }
}

TEST(FairGate, FlowsTakeTurns) {
  FairGate gate(limits(1));
  FakeExecutor executor;
  executor.want(gate, "first");
  for (const auto* name : {"a", "a", "a", "b", "b", "c"}) executor.want(gate, name);
  std::string order;
  while (executor.running() > 0) order += executor.end_one() + " ";
  EXPECT_EQ(order, "first a b c a b a ");
}

TEST(FairGate, WhatIsWideTakesMoreAndIsNotOvertaken) {
  FairGate gate(limits(4));
  FakeExecutor executor;
  for (int i = 0; i < 4; ++i) executor.want(gate, "small");
  EXPECT_EQ(executor.want(gate, "wide", 3), "waits");
  EXPECT_EQ(executor.want(gate, "late"), "waits");
  executor.end_one();
  executor.end_one();
  EXPECT_EQ(executor.running("late"), 0U) << "the wide one is at turn";
  executor.end_one();
  EXPECT_EQ(executor.running("wide"), 1U);
  executor.end_one();
  EXPECT_EQ(executor.running("late"), 1U);
  EXPECT_EQ(gate.used(), 4U);
}

TEST(FairGate, NothingIsTooWideToEverGetIn) {
  FairGate gate(limits(2));
  FakeExecutor executor;
  EXPECT_EQ(executor.want(gate, "a", 100), "in");
  EXPECT_EQ(gate.used(), 2U);
  executor.end_one();
  EXPECT_EQ(gate.used(), 0U);
}

TEST(FairGate, AFullQueueIsTheFlowsOwn) {
  FairGate gate(limits(1, 2));
  FakeExecutor executor;
  executor.want(gate, "flood");
  EXPECT_EQ(executor.want(gate, "flood"), "waits");
  EXPECT_EQ(executor.want(gate, "flood"), "waits");
  EXPECT_EQ(executor.want(gate, "flood"), "full");
  EXPECT_EQ(executor.want(gate, "quiet"), "waits");
}

TEST(FairGate, TheNumberOfFlowsIsBounded) {
  auto few = limits(1);
  few.flows = 2;
  FairGate gate(few);
  FakeExecutor executor;
  executor.want(gate, "in");
  EXPECT_EQ(executor.want(gate, "a"), "waits");
  EXPECT_EQ(executor.want(gate, "b"), "waits");
  EXPECT_EQ(executor.want(gate, "c"), "full");
  while (executor.running() > 0) executor.end_one();
  executor.want(gate, "in");
  EXPECT_EQ(executor.want(gate, "c"), "waits") << "flows in which nothing waits are forgotten";
}

TEST(FairGate, WhoWaitsTooLongIsRefused) {
  auto patient = limits(1);
  patient.longest_wait = seconds(10);
  FairGate gate(patient);
  FakeExecutor executor;
  const MonoTime start{};
  executor.want(gate, "in", 1, start);
  executor.want(gate, "early", 1, start);
  executor.want(gate, "late", 1, start + seconds(5));
  EXPECT_EQ(gate.refuse_overdue(start + seconds(9)), 0U);
  EXPECT_EQ(gate.refuse_overdue(start + seconds(10)), 1U);
  EXPECT_EQ(executor.refused, std::vector<std::string>{"early"});
  EXPECT_EQ(gate.waiting(), 1U);
  executor.end_one();
  EXPECT_EQ(executor.running("late"), 1U);
}

TEST(FairGate, ASeatThatIsDestroyedIsGivenBack) {
  FairGate gate(limits(1));
  {
    FairGate::Seat seat;
    EXPECT_TRUE(gate.try_enter(seat, 1));
    EXPECT_EQ(gate.used(), 1U);
  }
  EXPECT_EQ(gate.used(), 0U);
}

// Work that is over as soon as it starts, thousands of times: the stack must not grow with the queue.
TEST(FairGate, StartingOneDoesNotNestIntoStartingTheNext) {
  class Instant final : public FairGate::Waiter {
   public:
    explicit Instant(int& count) : count_(count) {}
    FairGate::Seat& seat() override { return seat_; }
    void start() override {
      ++count_;
      seat_.leave();
    }
    void refuse() override {}

   private:
    int& count_;
    FairGate::Seat seat_;
  };
  FairGate gate(limits(1, 100'000));
  FairGate::Seat first;
  ASSERT_TRUE(gate.try_enter(first, 1));
  int count = 0;
  for (int i = 0; i < 100'000; ++i) ASSERT_TRUE(gate.wait("a", 1, {}, std::make_shared<Instant>(count)));
  first.leave();
  EXPECT_EQ(count, 100'000);
  EXPECT_EQ(gate.used(), 0U);
}

TEST(FairGate, ManyThreadsLoseNobody) {
  class Counted final : public FairGate::Waiter {
   public:
    Counted(std::atomic<int>& started, std::atomic<int>& inside, std::atomic<int>& most)
        : started_(started), inside_(inside), most_(most) {}
    FairGate::Seat& seat() override { return seat_; }
    void start() override {
      const int now = ++inside_;
      int seen = most_.load();
      while (now > seen && !most_.compare_exchange_weak(seen, now)) {
      }
      ++started_;
      --inside_;
      seat_.leave();
    }
    void refuse() override {}

    FairGate::Seat seat_;

   private:
    std::atomic<int>& started_;
    std::atomic<int>& inside_;
    std::atomic<int>& most_;
  };
  constexpr int kThreads = 8;
  constexpr int kEach = 2000;
  FairGate gate(limits(3, kThreads * kEach));
  std::atomic<int> started{0};
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        auto work = std::make_shared<Counted>(started, inside, most);
        if (gate.try_enter(work->seat_, 1)) {
          work->start();
        } else {
          ASSERT_TRUE(gate.wait("user-" + std::to_string(t), 1, {}, work));
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(started.load(), kThreads * kEach);
  EXPECT_LE(most.load(), 3);
  EXPECT_EQ(gate.used(), 0U);
  EXPECT_EQ(gate.waiting(), 0U);
}

}  // namespace
}  // namespace chandler::apiserver
