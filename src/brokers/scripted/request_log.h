// The requests that came, for tests that look at what a platform really sent. Bounded: the oldest go. Requests are kept
// as they are and written out only when asked for, and each thread has its own place, so recording costs next to
// nothing. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>

#include "base/mutex.h"
#include "http/message.h"
#include "json/value.h"

namespace chandler::brokers {

class RequestLog {
 public:
  void add(std::shared_ptr<const http::Request> request);
  // {"requests": [{"method", "path", "query", "headers", "body"}], "dropped": 0}, in order. The value of Authorization
  // is not told.
  json::Value write() const;
  void clear();

 private:
  struct Entry {
    uint64_t number = 0;
    std::shared_ptr<const http::Request> request;
  };
  struct Shard {
    mutable Mutex mutex;
    std::deque<Entry> entries CH_GUARDED_BY(mutex);
    size_t bytes CH_GUARDED_BY(mutex) = 0;
    uint64_t dropped CH_GUARDED_BY(mutex) = 0;
  };

  static constexpr size_t kShards = 8;
  std::array<Shard, kShards> shards_;
  std::atomic<uint64_t> counter_{0};
};

}  // namespace chandler::brokers
