#include "app/history_keeper.h"

#include <algorithm>

#include "base/log.h"
#include "base/pool.h"

namespace chandler::app {
namespace {

constexpr int kSamplesPerWindow = 30;

}  // namespace

HistoryKeeper::HistoryKeeper(storage::Store& store, const registry::Cache& cache, const Clock& clock,
                             std::chrono::seconds window, size_t max_bytes)
    : store_(store), cache_(cache), clock_(clock), window_(window), max_bytes_(max_bytes), thread_([this] { run(); }) {}

HistoryKeeper::~HistoryKeeper() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    wake_.notify_all();
  }
  thread_.join();
}

storage::Revision HistoryKeeper::due() {
  const auto now = clock_.mono();
  const auto revision = cache_.revision();
  samples_.emplace_back(now, revision);
  storage::Revision floor = 0;
  while (!samples_.empty() && samples_.front().first + window_ <= now) {
    floor = samples_.front().second;
    samples_.pop_front();
  }
  // Too much memory: half of what is left of the window goes, oldest first.
  if (cache_.history_bytes() > max_bytes_) floor = std::max(floor, (cache_.floor() + revision) / 2);
  return floor;
}

void HistoryKeeper::run() {
  name_this_thread("history");
  const auto pause = std::max(std::chrono::milliseconds(200),
                              std::chrono::duration_cast<std::chrono::milliseconds>(window_) / kSamplesPerWindow);
  while (true) {
    {
      MutexLock lock(mutex_);
      if (!stopping_) wake_.wait_until(mutex_, std::chrono::steady_clock::now() + pause);
      if (stopping_) return;
    }
    const auto floor = due();
    if (floor <= cache_.floor()) continue;
    if (const auto compacted = store_.compact(floor); !compacted.ok()) {
      log::warn("history could not be trimmed", {{"error", compacted.error().message}});
    }
  }
}

}  // namespace chandler::app
