// Runs functions later, on a thread of its own ("broker-timer"). For answers that are told to be late. Thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <thread>

#include "base/mutex.h"

namespace chandler::brokers {

class Timer {
 public:
  Timer();
  ~Timer();  // what has not run is dropped
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  void after(std::chrono::milliseconds delay, std::function<void()> work) CH_EXCLUDES(mutex_);

 private:
  void run() CH_EXCLUDES(mutex_);

  Mutex mutex_;
  CondVar wake_;
  std::multimap<std::chrono::steady_clock::time_point, std::function<void()>> due_ CH_GUARDED_BY(mutex_);
  bool stopping_ CH_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: starts when all else is there
};

}  // namespace chandler::brokers
