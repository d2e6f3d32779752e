// Remembers for a short time what verifying a token's signature gave, so that a busy client costs one signature check
// per 10 seconds. Only successes are kept: bad tokens could otherwise push the good ones out. What may change meanwhile
// (does the account still exist, has the token expired) is not cached but checked each time by the user of this cache.
// Keyed by digest, so that no token stays in memory. Bounded. Thread-safe.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "auth/digest.h"
#include "base/clock.h"
#include "base/mutex.h"

namespace chandler::auth {

template <typename Value>
class TokenCache {
 public:
  static constexpr auto kLifetime = std::chrono::seconds(10);

  TokenCache(size_t capacity, const Clock& clock) : capacity_(capacity), clock_(clock) {}

  // Null when not known or too old.
  std::shared_ptr<const Value> find(const Digest& token) CH_EXCLUDES(mutex_) {
    const auto now = clock_.mono();
    MutexLock lock(mutex_);
    const auto found = entries_.find(token);
    if (found == entries_.end() || found->second.until <= now) return nullptr;
    return found->second.value;
  }

  void put(const Digest& token, std::shared_ptr<const Value> value) CH_EXCLUDES(mutex_) {
    const auto now = clock_.mono();
    MutexLock lock(mutex_);
    // All live equally long, so the oldest are those that end first.
    while (!order_.empty() && (order_.front().first <= now || order_.size() >= capacity_)) {
      const auto entry = entries_.find(order_.front().second);
      if (entry != entries_.end() && entry->second.until == order_.front().first) entries_.erase(entry);
      order_.pop_front();
    }
    entries_[token] = {now + kLifetime, std::move(value)};
    order_.emplace_back(now + kLifetime, token);
  }

  size_t size() const CH_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return entries_.size();
  }

 private:
  struct Entry {
    MonoTime until;
    std::shared_ptr<const Value> value;
  };

  const size_t capacity_;
  const Clock& clock_;
  mutable Mutex mutex_;
  std::unordered_map<Digest, Entry, DigestHash> entries_ CH_GUARDED_BY(mutex_);
  std::deque<std::pair<MonoTime, Digest>> order_ CH_GUARDED_BY(mutex_);  // by end of life
};

}  // namespace chandler::auth
