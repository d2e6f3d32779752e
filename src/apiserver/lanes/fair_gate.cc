#include "apiserver/lanes/fair_gate.h"

#include <algorithm>
#include <utility>

namespace chandler::apiserver {

FairGate::Item FairGate::Flow::take_first() {
  Item first = std::move(items.front());
  items.pop_front();
  width -= first.width;
  return first;
}

bool FairGate::take(uint32_t width) {
  auto used = used_.load();
  while (used + width <= limits_.seats) {
    if (used_.compare_exchange_weak(used, used + width)) return true;
  }
  return false;
}

bool FairGate::try_enter(Seat& seat, uint32_t width) {
  width = clamped(width);
  // Nobody overtakes those who wait.
  if (waiting_.load() != 0 || !take(width)) return false;
  seat.width_ = width;
  seat.gate_.store(this);
  return true;
}

bool FairGate::wait(std::string_view flow, uint32_t width, MonoTime now, std::shared_ptr<Waiter> waiter) {
  {
    MutexLock lock(mutex_);
    auto found = flows_.find(flow);
    if (found == flows_.end()) {
      if (flows_.size() >= limits_.flows) return false;
      found = flows_.emplace(std::string(flow), Flow()).first;
      turns_.push_back(found);
    }
    auto& waiting = found->second;
    if (!waiting.items.empty() && waiting.width + width > limits_.queue_per_flow) return false;
    waiting.items.push_back({std::move(waiter), width, now});
    waiting.width += width;
    waiting_.fetch_add(1);
  }
  // A seat that was given back before we were counted as waiting told nobody.
  let_in();
  return true;
}

void FairGate::give_back(uint32_t width) {
  used_.fetch_sub(width);
  if (waiting_.load() != 0) let_in();
}

void FairGate::let_in() {
  {
    MutexLock lock(mutex_);
    if (letting_in_) return;  // also our own callers: starting one must not nest into starting the next
    letting_in_ = true;
  }
  while (true) {
    std::vector<std::shared_ptr<Waiter>> next;
    {
      MutexLock lock(mutex_);
      next = next_in();
      if (next.empty()) {
        letting_in_ = false;
        return;
      }
    }
    for (auto& waiter : next) {
      waiter->start();
      waiter.reset();
    }
  }
}

std::vector<std::shared_ptr<FairGate::Waiter>> FairGate::next_in() {
  std::vector<std::shared_ptr<Waiter>> next;
  while (!turns_.empty()) {
    const auto flow = turns_.front();
    // Whoever's turn it is waits for seats enough; to let a smaller one pass could keep it waiting for ever.
    const auto width = clamped(flow->second.items.front().width);
    if (!take(width)) break;
    auto item = flow->second.take_first();
    waiting_.fetch_sub(1);
    turns_.pop_front();
    if (flow->second.items.empty()) {
      flows_.erase(flow);
    } else {
      turns_.push_back(flow);
    }
    auto& seat = item.waiter->seat();
    seat.width_ = width;
    seat.gate_.store(this);
    next.push_back(std::move(item.waiter));
  }
  return next;
}

size_t FairGate::refuse_overdue(MonoTime now) {
  if (waiting_.load() == 0) return 0;
  std::vector<std::shared_ptr<Waiter>> overdue;
  {
    MutexLock lock(mutex_);
    for (auto flow = flows_.begin(); flow != flows_.end();) {
      auto& items = flow->second.items;
      while (!items.empty() && items.front().since + limits_.longest_wait <= now) {
        overdue.push_back(flow->second.take_first().waiter);
        waiting_.fetch_sub(1);
      }
      if (!items.empty()) {
        ++flow;
        continue;
      }
      turns_.erase(std::find(turns_.begin(), turns_.end(), flow));
      flow = flows_.erase(flow);
    }
  }
  for (const auto& waiter : overdue) waiter->refuse();
  // Who was at turn may have needed more seats than the next one does.
  if (!overdue.empty()) let_in();
  return overdue.size();
}

}  // namespace chandler::apiserver
