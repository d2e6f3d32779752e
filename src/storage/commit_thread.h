// The one thread that commits, shared by the stores: a bounded queue of writes, group commit, and the order the
// contract promises: durable, then sinks, then callbacks. What "commit" means is the engine's business. Everything the
// engine and the sinks do runs on this thread, one thing at a time, so neither needs a lock for what only it touches.
//
// A batch forms by itself: what is queued while the last batch was being synced is the next one. Nothing waits for a
// batch to fill, with one exception: who writes in bursts, one object after the other, is given a moment for a few of
// them, as a commit costs about the same for one and for ten. All public functions are thread-safe except those marked.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "base/metrics.h"
#include "base/mutex.h"
#include "storage/store.h"

namespace chandler::storage {

class CommitEngine {
 public:
  virtual ~CommitEngine() = default;

  // Makes the batch durable as one, giving revisions from revision() + 1 on, and returns what each write came to. An
  // error: nothing of the batch was written.
  virtual Result<std::vector<WriteOutcome>> apply(std::span<const Write> batch) = 0;

  // Does a small slice of background work while nothing is queued. False: there is none now.
  virtual bool work_idle() { return false; }
};

struct CommitLimits {
  size_t queue_writes = 10'000;
  size_t queue_bytes = 256 << 20;
  size_t batch_writes = 1'024;
  size_t batch_bytes = 4 << 20;
  size_t burst_writes = 12;  // when so many wait, a burst is not waited for
  std::chrono::microseconds burst_wait{500};
};

class CommitThread {
 public:
  using Task = std::function<void()>;

  // `engine` (and `metrics`, if given) must outlive this.
  CommitThread(CommitEngine& engine, CommitLimits limits, Revision revision, metrics::Registry* metrics);
  ~CommitThread();  // stop(), then ends the thread
  CommitThread(const CommitThread&) = delete;
  CommitThread& operator=(const CommitThread&) = delete;

  Revision revision() const { return revision_.load(std::memory_order_acquire); }

  void commit(Write write, Store::Callback done) CH_EXCLUDES(mutex_);  // as Store::commit
  void end_burst() CH_EXCLUDES(mutex_);                                // as Store::end_burst
  // Runs `task` on the thread after all that was queued before, and waits for it. Works after stop() too.
  void run(const Task& task) CH_EXCLUDES(mutex_);
  // Refuses further writes and waits until those queued are done. The thread goes on to serve run().
  void stop() CH_EXCLUDES(mutex_);

  // Only from a task of run().
  void add_sink(ChangeSink& sink) { sinks_.push_back(&sink); }
  void remove_sink(ChangeSink& sink) { std::erase(sinks_, &sink); }
  void tell_compacted(Revision floor);

 private:
  struct Item {
    Write write;
    Store::Callback done;
    Task task;  // set: a task, the rest is empty
    size_t bytes = 0;
  };
  struct Round {  // a batch of writes, or one task, or nothing
    std::vector<Write> writes;
    std::vector<Store::Callback> callbacks;
    Task task;
  };

  std::optional<Error> refusal(size_t bytes) const CH_REQUIRES(mutex_);
  Result<bool> enqueue(Write& write, Store::Callback& done) CH_EXCLUDES(mutex_);
  void loop() CH_EXCLUDES(mutex_);
  void wait_for_burst() CH_REQUIRES(mutex_);
  Round take() CH_REQUIRES(mutex_);
  void commit_batch(Round& round);
  void publish(const std::vector<Write>& writes, const std::vector<WriteOutcome>& outcomes);

  CommitEngine& engine_;
  const CommitLimits limits_;
  std::unique_ptr<metrics::Registry> own_metrics_;  // when nobody asked for them
  metrics::Histogram& batch_size_;
  metrics::Gauge& queue_length_;
  metrics::Gauge& revision_gauge_;

  std::atomic<Revision> revision_;
  std::vector<ChangeSink*> sinks_;  // touched on the thread only

  Mutex mutex_;
  CondVar wake_;
  std::vector<Item> queue_ CH_GUARDED_BY(mutex_);  // nearly always taken as a whole, so its memory serves again
  size_t queued_writes_ CH_GUARDED_BY(mutex_) = 0;
  size_t queued_bytes_ CH_GUARDED_BY(mutex_) = 0;
  bool burst_ CH_GUARDED_BY(mutex_) = false;  // somebody whose write is queued has said that more follows
  bool stopped_ CH_GUARDED_BY(mutex_) = false;
  bool closing_ CH_GUARDED_BY(mutex_) = false;

  std::thread thread_;  // last: starts when all else is there
};

}  // namespace chandler::storage
