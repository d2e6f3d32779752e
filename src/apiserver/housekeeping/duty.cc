#include "apiserver/housekeeping/duty.h"

#include <time.h>

#include <exception>
#include <utility>

#include "base/log.h"
#include "base/pool.h"

namespace chandler::apiserver {
namespace {

constexpr auto kAfterFault = std::chrono::seconds(5);

}  // namespace

Duty::Duty(std::string name, Work work, std::chrono::milliseconds gather)
    : name_(std::move(name)), work_(std::move(work)), gather_(gather) {}

std::chrono::nanoseconds Duty::processor_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

Duty::~Duty() { stop(); }

void Duty::start() {
  thread_ = std::thread([this] { run(); });
}

void Duty::add(std::string key) {
  MutexLock lock(mutex_);
  if (stopping_ || !queued_.insert(key).second) return;
  ready_.push_back(std::move(key));
  if (std::exchange(asleep_, false)) wake_.notify_one();
}

void Duty::add_after(std::string key, std::chrono::milliseconds delay) {
  MutexLock lock(mutex_);
  if (stopping_) return;
  const auto due = std::chrono::steady_clock::now() + delay;
  const bool is_first = later_.empty() || due < later_.begin()->first;
  later_.emplace(due, std::move(key));
  if (is_first && std::exchange(asleep_, false)) wake_.notify_one();
}

void Duty::stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    wake_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

std::optional<std::string> Duty::next() {
  MutexLock lock(mutex_);
  while (!stopping_) {
    const auto now = std::chrono::steady_clock::now();
    while (!later_.empty() && later_.begin()->first <= now) {
      auto node = later_.extract(later_.begin());
      if (queued_.insert(node.mapped()).second) ready_.push_back(std::move(node.mapped()));
    }
    if (!ready_.empty()) {
      std::string key = std::move(ready_.front());
      ready_.pop_front();
      queued_.erase(key);
      if (put_off(key, now)) continue;
      return key;
    }
    sleep();
  }
  return std::nullopt;
}

bool Duty::put_off(const std::string& key, MonoTime now) {
  const auto found = resting_.find(key);
  if (found == resting_.end() || found->second.until <= now) return false;
  if (!std::exchange(found->second.put_off, true)) later_.emplace(found->second.until, key);
  return true;
}

void Duty::rest(const std::string& key, std::chrono::nanoseconds worked) {
  constexpr auto kShort = std::chrono::microseconds(100);  // nearly all work; not worth remembering
  MutexLock lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  std::erase_if(resting_, [&](const auto& entry) { return entry.second.until <= now; });
  if (worked >= kShort) resting_[key] = {now + kRest * worked};
}

void Duty::sleep() {
  asleep_ = true;
  if (later_.empty()) {
    wake_.wait(mutex_);
  } else {
    wake_.wait_until(mutex_, later_.begin()->first);
  }
  asleep_ = false;
  if (ready_.empty() || gather_.count() == 0) return;
  const auto until = std::chrono::steady_clock::now() + gather_;
  while (!stopping_ && wake_.wait_until(mutex_, until)) {
  }
}

void Duty::run() {
  name_this_thread(name_);
  while (const auto key = next()) {
    const auto begin = processor_time();
    std::optional<std::chrono::milliseconds> again;
    try {
      again = work_(*key);
    } catch (const std::exception& e) {
      log::error("a duty threw", {{"duty", name_}, {"key", *key}, {"error", e.what()}});
      again = kAfterFault;
    }
    rest(*key, processor_time() - begin);
    if (again) add_after(*key, *again);
  }
}

}  // namespace chandler::apiserver
