// One thread that does things in order, now or later. The remote client's decisions all run here, so that they need no
// locks of their own. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "base/mutex.h"

namespace chandler::client {

class TaskThread {
 public:
  explicit TaskThread(std::string name);
  ~TaskThread();  // stop()
  TaskThread(const TaskThread&) = delete;
  TaskThread& operator=(const TaskThread&) = delete;

  // After stop() nothing is run any more; tasks are dropped.
  void post(std::function<void()> task) CH_EXCLUDES(mutex_);
  void post_after(std::chrono::milliseconds delay, std::function<void()> task) CH_EXCLUDES(mutex_);
  // Finishes the task under way, drops the rest, joins. Not from the thread itself.
  void stop() CH_EXCLUDES(mutex_);

 private:
  using Due = std::pair<std::chrono::steady_clock::time_point, uint64_t>;  // the number keeps the order
  void run() CH_EXCLUDES(mutex_);

  Mutex mutex_;
  CondVar wake_;
  std::map<Due, std::function<void()>> tasks_ CH_GUARDED_BY(mutex_);
  uint64_t next_ CH_GUARDED_BY(mutex_) = 0;
  bool stopping_ CH_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace chandler::client
