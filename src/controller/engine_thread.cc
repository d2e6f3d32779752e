#include "controller/engine_thread.h"

#include <algorithm>
#include <utility>

#include "base/pool.h"

namespace chandler::controller {
namespace {

// Due times are wall time, sleeping is not: after a leap of the wall clock nothing is later than this.
constexpr auto kLongestSleep = std::chrono::seconds(5);

}  // namespace

EngineThread::EngineThread(Worker& worker, const Clock& clock, std::string name)
    : worker_(worker), clock_(clock), name_(std::move(name)), bell_(std::make_shared<Bell>()) {}

EngineThread::~EngineThread() { stop(); }

void EngineThread::start() {
  worker_.on_mail([bell = bell_] {
    {
      MutexLock lock(bell->mutex);
      if (std::exchange(bell->rung, true)) return;  // has been told, and has not looked since
    }
    bell->changed.notify_one();  // without the lock, which the one that wakes up needs first
  });
  thread_ = std::thread([this] { run(); });
}

void EngineThread::stop() {
  {
    MutexLock lock(bell_->mutex);
    bell_->stopping = true;
    bell_->changed.notify_one();
  }
  if (!thread_.joinable()) return;
  thread_.join();
  worker_.on_mail(nullptr);
}

void EngineThread::run() {
  name_this_thread(name_);
  let_others_finish();  // changes that come meanwhile are one turn
  for (;;) {
    {
      MutexLock lock(bell_->mutex);
      if (bell_->stopping) return;
      bell_->rung = false;
    }
    if (worker_.turn()) continue;
    const auto due = worker_.next_due();
    auto sleep = std::chrono::duration_cast<std::chrono::microseconds>(kLongestSleep);
    if (due) sleep = std::clamp(*due - clock_.now(), std::chrono::microseconds(0), sleep);
    const auto until = std::chrono::steady_clock::now() + sleep;
    MutexLock lock(bell_->mutex);
    // Mail that came during the turn has rung; mail that comes now will.
    while (!bell_->rung && !bell_->stopping) {
      if (!bell_->changed.wait_until(bell_->mutex, until)) break;
    }
  }
}

}  // namespace chandler::controller
