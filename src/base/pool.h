// A bounded pool of named worker threads with a bounded queue: work is refused, never piled up. Work must not throw and
// must not stop its own pool. Thread-safe.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"

namespace chandler {

class Pool {
 public:
  Pool(const std::string& name, size_t threads, size_t queue_limit);  // threads are called <name>-<n>
  ~Pool();                                                            // stop()
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // False when the queue is full or the pool has stopped; the work is then not run.
  bool submit(std::function<void()> work) CH_EXCLUDES(mutex_);
  void stop() CH_EXCLUDES(mutex_);  // finishes what is queued, then joins

 private:
  void run() CH_EXCLUDES(mutex_);

  const size_t queue_limit_;
  Mutex mutex_;
  CondVar wake_;
  std::deque<std::function<void()>> queue_ CH_GUARDED_BY(mutex_);
  bool stopping_ CH_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_ CH_GUARDED_BY(mutex_);
};

void name_this_thread(const std::string& name);  // at most 15 characters are kept by the kernel

// For threads that serve many at once: when it is woken and no processor is free, this thread does not interrupt who
// woke it, but lets them go on and then finds more to do in one go. Inherited by threads it starts.
void let_others_finish();

}  // namespace chandler
