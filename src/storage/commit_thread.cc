#include "storage/commit_thread.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/pool.h"
#include "base/wake_together.h"

namespace chandler::storage {
namespace {

metrics::Registry& registry_or(metrics::Registry* given, std::unique_ptr<metrics::Registry>& own) {
  if (given != nullptr) return *given;
  if (!own) own = std::make_unique<metrics::Registry>();
  return *own;
}

}  // namespace

CommitThread::CommitThread(CommitEngine& engine, CommitLimits limits, Revision revision, metrics::Registry* metrics)
    : engine_(engine),
      limits_(limits),
      batch_size_(registry_or(metrics, own_metrics_)
                      .histogram("chandler_store_commit_batch_size", "Writes per commit of the store.", {},
                                 {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024})
                      .with({})),
      queue_length_(registry_or(metrics, own_metrics_)
                        .gauge("chandler_store_queue", "Writes that wait for the store's next commit.")
                        .with({})),
      revision_gauge_(registry_or(metrics, own_metrics_)
                          .gauge("chandler_store_revision", "Revision of the store's last committed write.")
                          .with({})),
      revision_(revision) {
  revision_gauge_.set(revision);
  thread_ = std::thread([this] { loop(); });
}

CommitThread::~CommitThread() {
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    closing_ = true;
    wake_.notify_one();
  }
  thread_.join();
}

std::optional<Error> CommitThread::refusal(size_t bytes) const {
  if (stopped_) return unavailable("the store has stopped and takes no more writes");
  if (queued_writes_ < limits_.queue_writes && (queued_writes_ == 0 || queued_bytes_ + bytes <= limits_.queue_bytes)) {
    return std::nullopt;
  }
  return too_many_requests(
      fmt::format("the store is overloaded: {} writes wait for the disk; try again later", queued_writes_), 1);
}

// True: whoever waits for work has to be woken.
Result<bool> CommitThread::enqueue(Write& write, Store::Callback& done) {
  const size_t bytes = write.key.size() + (write.value ? write.value->size() : 0);
  MutexLock lock(mutex_);
  if (auto refused = refusal(bytes)) return fail(std::move(*refused));
  burst_ = burst_ || write.more_follows;
  const bool is_due = queue_.empty() || (burst_ && queued_writes_ + 1 == limits_.burst_writes);
  queue_.push_back({std::move(write), std::move(done), nullptr, bytes});
  ++queued_writes_;
  queued_bytes_ += bytes;
  queue_length_.set(static_cast<int64_t>(queued_writes_));
  return is_due;
}

void CommitThread::commit(Write write, Store::Callback done) {
  auto queued = enqueue(write, done);
  if (!queued.ok()) return done(std::move(queued).error());
  // Without the lock, which the one that wakes up needs first. Who finds others in the queue need not wake anybody.
  if (*queued) wake_.notify_one();
}

void CommitThread::end_burst() {
  {
    MutexLock lock(mutex_);
    if (!std::exchange(burst_, false)) return;  // has been taken, or ended, already
  }
  wake_.notify_one();
}

void CommitThread::run(const Task& task) {
  CH_CHECK(std::this_thread::get_id() != thread_.get_id());  // a sink or callback that waits for its own thread
  Mutex mutex;
  CondVar finished_cv;
  bool finished = false;
  {
    MutexLock lock(mutex_);
    queue_.push_back({{},
                      nullptr,
                      [&] {
                        task();
                        MutexLock finish(mutex);
                        finished = true;
                        finished_cv.notify_one();
                      },
                      0});
    wake_.notify_one();
  }
  MutexLock lock(mutex);
  while (!finished) finished_cv.wait(mutex);
}

void CommitThread::stop() {
  {
    MutexLock lock(mutex_);
    stopped_ = true;
  }
  run([] {});  // behind all that is queued
}

void CommitThread::tell_compacted(Revision floor) {
  for (auto* sink : sinks_) sink->on_compacted(floor);
}

CommitThread::Round CommitThread::take() {
  Round round;
  const size_t room = std::min(queue_.size(), limits_.batch_writes);
  round.writes.reserve(room);
  round.callbacks.reserve(room);
  size_t bytes = 0;
  size_t taken = 0;
  while (taken < queue_.size() && round.writes.size() < limits_.batch_writes) {
    auto& item = queue_[taken];
    if (item.task) {
      if (!round.writes.empty()) break;
      round.task = std::move(item.task);
      ++taken;
      break;
    }
    if (!round.writes.empty() && bytes + item.bytes > limits_.batch_bytes) break;
    bytes += item.bytes;
    round.writes.push_back(std::move(item.write));
    round.callbacks.push_back(std::move(item.done));
    ++taken;
  }
  queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(taken));
  if (queue_.empty() && queue_.capacity() > limits_.batch_writes) queue_.shrink_to_fit();  // after a flood
  queued_writes_ -= round.writes.size();
  queued_bytes_ -= bytes;
  burst_ = false;
  queue_length_.set(static_cast<int64_t>(queued_writes_));
  return round;
}

void CommitThread::wait_for_burst() {
  if (!burst_) return;
  const auto until = std::chrono::steady_clock::now() + limits_.burst_wait;
  const auto is_worth_it = [this]() CH_REQUIRES(mutex_) {
    return burst_ && queued_writes_ < limits_.burst_writes && queue_.size() == queued_writes_;  // no task among them
  };
  while (is_worth_it() && !closing_) {
    if (!wake_.wait_until(mutex_, until)) return;
  }
}

void CommitThread::loop() {
  name_this_thread("store-commit");
  let_others_finish();    // writes that wait become one commit
  bool idle_work = true;  // worth asking for: something happened since the engine said that there is none
  for (;;) {
    Round round;
    {
      MutexLock lock(mutex_);
      while (queue_.empty() && !closing_ && !idle_work) wake_.wait(mutex_);
      if (queue_.empty() && closing_) return;
      wait_for_burst();
      round = take();
    }
    if (round.task) {
      round.task();
      idle_work = true;
    } else if (!round.writes.empty()) {
      commit_batch(round);
      idle_work = true;
    } else {
      idle_work = engine_.work_idle();
    }
  }
}

void CommitThread::commit_batch(Round& round) {
  batch_size_.observe(static_cast<double>(round.writes.size()));
  auto outcomes = engine_.apply(round.writes);
  if (!outcomes.ok()) {
    for (auto& done : round.callbacks) done(outcomes.error());
    return;
  }
  const WakeTogether at_the_end;
  publish(round.writes, *outcomes);
  for (size_t i = 0; i < round.callbacks.size(); ++i) {
    if (auto attachment = std::move(round.writes[i].attachment)) {
      attachment->spent_key = std::move(round.writes[i].key);
      attachment->spent_value = std::move(round.writes[i].value);
    }
    round.callbacks[i]((*outcomes)[i]);
    // Its hold on the request ends here, so that mostly the thread that answers is the one that frees it.
    round.callbacks[i] = nullptr;
  }
}

void CommitThread::publish(const std::vector<Write>& writes, const std::vector<WriteOutcome>& outcomes) {
  CH_CHECK(writes.size() == outcomes.size());
  std::vector<Change> changes;
  changes.reserve(writes.size());
  for (size_t i = 0; i < writes.size(); ++i) {
    if (!outcomes[i].committed) continue;
    changes.push_back({outcomes[i].revision, writes[i].key, writes[i].value, writes[i].attachment.get()});
  }
  if (changes.empty()) return;
  revision_.store(changes.back().revision, std::memory_order_release);
  revision_gauge_.set(changes.back().revision);
  for (auto* sink : sinks_) sink->on_changes(changes);
}

}  // namespace chandler::storage
