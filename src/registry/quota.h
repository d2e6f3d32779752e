// How many bytes of objects the server holds in memory, and how many it may. Exact: a write that adds bytes claims them
// before it is queued, and what it really took is counted in the same step that gives its claim back. So all writes
// that are under way together stay within the limit, and none is refused for bytes that are counted twice. Thread-safe;
// a few instructions under a lock of its own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/metrics.h"
#include "base/mutex.h"
#include "base/result.h"

namespace chandler::registry {

class Quota {
 public:
  // Of the limit, for what the server has to write to finish deletions and keep its own records.
  static constexpr size_t kReserveShare = 16;
  enum class Use { kOrdinary, kReserve };

  explicit Quota(metrics::Registry& metrics);

  // `bytes` for ordinary writes; the reserve comes on top. 0: no limit, which is how it begins.
  void set_limit(size_t bytes) CH_EXCLUDES(mutex_);
  size_t used() const CH_EXCLUDES(mutex_);
  size_t claimed() const CH_EXCLUDES(mutex_);  // by writes under way

  // For a write by which the objects grow by `growth` bytes. What does not grow needs no claim. An error says how much
  // is used and what to do.
  Result<void> claim(size_t growth, Use use) CH_EXCLUDES(mutex_);
  // The objects have become `change` bytes more (or fewer), by writes that had claimed `claimed` bytes.
  void settle(int64_t change, size_t claimed) CH_EXCLUDES(mutex_);

 private:
  metrics::Counter& refused_total_;

  mutable Mutex mutex_;
  size_t limit_ CH_GUARDED_BY(mutex_) = 0;
  size_t used_ CH_GUARDED_BY(mutex_) = 0;
  size_t claimed_ CH_GUARDED_BY(mutex_) = 0;
  bool reached_ CH_GUARDED_BY(mutex_) = false;  // a write was refused, and there is not much more room since
};

}  // namespace chandler::registry
