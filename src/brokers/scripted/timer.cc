#include "brokers/scripted/timer.h"

#include <utility>

#include "base/pool.h"

namespace chandler::brokers {

Timer::Timer() : thread_([this] { run(); }) {}

Timer::~Timer() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Timer::after(std::chrono::milliseconds delay, std::function<void()> work) {
  {
    MutexLock lock(mutex_);
    due_.emplace(std::chrono::steady_clock::now() + delay, std::move(work));
  }
  wake_.notify_all();
}

void Timer::run() {
  name_this_thread("broker-timer");
  for (;;) {
    std::function<void()> work;
    {
      MutexLock lock(mutex_);
      while (!stopping_ && (due_.empty() || due_.begin()->first > std::chrono::steady_clock::now())) {
        if (due_.empty()) {
          wake_.wait(mutex_);
        } else {
          wake_.wait_until(mutex_, due_.begin()->first);
        }
      }
      if (stopping_) return;
      work = std::move(due_.begin()->second);
      due_.erase(due_.begin());
    }
    work();
  }
}

}  // namespace chandler::brokers
