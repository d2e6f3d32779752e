// Forgets old history: what is older than the window, or sooner when it costs too much memory. One thread.
#pragma once

#include <chrono>
#include <deque>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "registry/cache.h"
#include "storage/store.h"

namespace chandler::app {

class HistoryKeeper {
 public:
  HistoryKeeper(storage::Store& store, const registry::Cache& cache, const Clock& clock, std::chrono::seconds window,
                size_t max_bytes);
  ~HistoryKeeper();

  // One look: which revision may be forgotten now. Public for tests.
  storage::Revision due();

 private:
  void run();

  storage::Store& store_;
  const registry::Cache& cache_;
  const Clock& clock_;
  const std::chrono::seconds window_;
  const size_t max_bytes_;
  std::deque<std::pair<MonoTime, storage::Revision>> samples_;  // only touched by the thread (or a test)

  Mutex mutex_;
  CondVar wake_;
  bool stopping_ CH_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace chandler::app
