// Seats for work of one sort, given out fairly: each who wants one belongs to a flow (a user), and when the seats are
// taken the flows that wait get their turns one after the other, however many each has waiting. What may wait in a
// flow, the number of flows and the time of waiting are bounded. While nobody waits, entering and leaving are one
// atomic operation each. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"

namespace chandler::apiserver {

class FairGate {
 public:
  struct Limits {
    uint32_t seats = 100;
    size_t queue_per_flow = 256;  // in seats that what waits is wide; a single one may be wider
    size_t flows = 1024;
    std::chrono::milliseconds longest_wait{15'000};
  };

  // A place inside; a member of what enters. Given back by leave(), from any thread and at most once, or by
  // destruction. The gate outlives it.
  class Seat {
   public:
    Seat() = default;
    ~Seat() { leave(); }
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;
    void leave() {
      if (gate_.load(std::memory_order_relaxed) == nullptr) return;
      if (auto* gate = gate_.exchange(nullptr)) gate->give_back(width_);
    }

   private:
    friend class FairGate;
    std::atomic<FairGate*> gate_{nullptr};
    uint32_t width_ = 0;
  };

  // What waits. Exactly one of the two is called, once, without a lock, on whatever thread makes it happen.
  class Waiter {
   public:
    virtual ~Waiter() = default;
    virtual Seat& seat() = 0;
    virtual void start() = 0;   // the seat is taken
    virtual void refuse() = 0;  // it has waited too long
  };

  explicit FairGate(Limits limits) : limits_(limits) {}
  FairGate(const FairGate&) = delete;
  FairGate& operator=(const FairGate&) = delete;

  // Takes `width` seats (as many as there are, at most) if they are free and nobody waits.
  bool try_enter(Seat& seat, uint32_t width);
  // Waits for them; false: too many wait already. start() may come before this returns.
  bool wait(std::string_view flow, uint32_t width, MonoTime now, std::shared_ptr<Waiter> waiter) CH_EXCLUDES(mutex_);
  // Refuses those that have waited too long; how many.
  size_t refuse_overdue(MonoTime now) CH_EXCLUDES(mutex_);

  uint32_t used() const { return used_.load(std::memory_order_relaxed); }
  uint32_t waiting() const { return waiting_.load(std::memory_order_relaxed); }
  const Limits& limits() const { return limits_; }

 private:
  struct Item {
    std::shared_ptr<Waiter> waiter;
    uint32_t width = 1;  // as asked for, also when the gate has fewer seats
    MonoTime since;
  };
  struct Flow {
    std::deque<Item> items;
    size_t width = 0;  // of all items

    Item take_first();
  };
  using Flows = std::map<std::string, Flow, std::less<>>;

  bool take(uint32_t width);
  void give_back(uint32_t width) CH_EXCLUDES(mutex_);
  void let_in() CH_EXCLUDES(mutex_);
  std::vector<std::shared_ptr<Waiter>> next_in() CH_REQUIRES(mutex_);
  uint32_t clamped(uint32_t width) const { return width < 1 ? 1 : width > limits_.seats ? limits_.seats : width; }

  const Limits limits_;
  std::atomic<uint32_t> used_{0};
  std::atomic<uint32_t> waiting_{0};

  Mutex mutex_;
  bool letting_in_ CH_GUARDED_BY(mutex_) = false;  // some thread is at it: it will see what others gave back
  Flows flows_ CH_GUARDED_BY(mutex_);              // those in which something waits
  std::deque<Flows::iterator> turns_ CH_GUARDED_BY(mutex_);
};

}  // namespace chandler::apiserver
