// Why a store takes no more writes: the first error after which nobody knows what is on the disk. Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "base/error.h"
#include "base/mutex.h"

namespace chandler::storage {

class StoreFailure {
 public:
  // `on_failure` runs once, on the thread that reports the error, and must not call the store.
  explicit StoreFailure(std::function<void()> on_failure) : on_failure_(std::move(on_failure)) {}

  bool happened() const { return happened_.load(std::memory_order_acquire); }
  std::string text() const CH_EXCLUDES(mutex_);  // for the operator; empty while all is well
  void report(const Error& because) CH_EXCLUDES(mutex_);

 private:
  const std::function<void()> on_failure_;
  std::atomic<bool> happened_{false};
  mutable Mutex mutex_;
  std::string text_ CH_GUARDED_BY(mutex_);
};

}  // namespace chandler::storage
