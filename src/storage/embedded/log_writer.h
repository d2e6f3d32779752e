// All writing to the database: batches, the floor, and the removal of history below it. One connection, driven by the
// commit thread alone; only floor(), failure() and TrimPause are for other threads.
//
// A batch is one transaction and one sync. Expectations are checked inside it against `cur`, so nothing of the data is
// held in memory. When COMMIT fails for want of space the batch is rolled back and later ones may succeed; when it
// fails in any other way nobody knows what reached the disk, so the writer refuses all further work until a restart has
// read what is there.
//
// History: compact() makes the new floor durable first; from then on no reader asks below it. The rows it made
// superfluous are removed afterwards in slices: for each row r in (trimmed, floor], the row that r replaced, and r
// itself if it is a delete. SQLite has one writer, so a thread of its own would only fight this one for the lock;
// instead a batch takes along a slice in proportion to its size (it shares the batch's sync, and removal keeps up with
// any load), and larger slices run when nothing is queued.
#pragma once

#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "base/mutex.h"
#include "storage/commit_thread.h"
#include "storage/embedded/checkpointer.h"
#include "storage/embedded/schema.h"
#include "storage/embedded/sqlite.h"

namespace chandler::storage {

class LogWriter final : public CommitEngine {
 public:
  static Result<std::unique_ptr<LogWriter>> open(Database database, Checkpointer& checkpointer,
                                                 metrics::Histogram& commit_seconds);

  Result<std::vector<WriteOutcome>> apply(std::span<const Write> batch) override;
  bool work_idle() override;
  Result<bool> raise_floor(Revision floor);  // clamped; false: it was there already
  void finish();                             // copies all into the database file, as far as nobody reads

  Revision newest() const { return marks_.newest; }
  Revision floor() const { return floor_.load(std::memory_order_acquire); }
  std::string failure() const CH_EXCLUDES(failure_mutex_);

  // While one of these lives nothing is removed, so that what is read in several steps has no holes.
  class TrimPause {
   public:
    explicit TrimPause(LogWriter& writer) : writer_(writer) { ++writer_.trim_pauses_; }
    ~TrimPause() { --writer_.trim_pauses_; }
    TrimPause(const TrimPause&) = delete;
    TrimPause& operator=(const TrimPause&) = delete;

   private:
    LogWriter& writer_;
  };

 private:
  LogWriter(Database database, Checkpointer& checkpointer, metrics::Histogram& commit_seconds)
      : database_(std::move(database)), checkpointer_(checkpointer), commit_seconds_(commit_seconds) {}
  Result<void> prepare();

  Result<void> begin();
  Result<void> end();            // COMMIT
  Error give_up(Error because);  // ROLLBACK
  void fail_for_good(const Error& because) CH_EXCLUDES(failure_mutex_);
  void note(bool works, std::string_view error);  // logs when it changes

  Result<std::vector<WriteOutcome>> write_all(std::span<const Write> batch, Marks& marks);
  Result<WriteOutcome> write_one(const Write& write, Revision& newest);
  Result<Revision> current(std::string_view key);
  // Makes `revision` the key's current one if the expectation of a put (absent, or a revision) holds; false: it did
  // not.
  Result<bool> advance(const Write& write, Revision revision);
  Result<void> append(const Write& write, Revision revision, Revision previous);
  Result<void> set_mark(std::string_view name, Revision value);
  bool trim_wanted() const { return marks_.trimmed < marks_.floor && trim_pauses_ == 0; }
  Result<void> trim(size_t rows, Marks& marks);

  Database database_;
  Checkpointer& checkpointer_;
  metrics::Histogram& commit_seconds_;
  Statement begin_;
  Statement commit_;
  Statement current_;
  Statement append_;
  Statement add_current_;
  Statement move_current_;
  Statement set_current_;
  Statement remove_current_;
  Statement set_mark_;
  Statement untrimmed_;
  Statement remove_row_;

  Marks marks_;  // as committed
  bool works_ = true;
  std::atomic<Revision> floor_{0};
  std::atomic<int> trim_pauses_{0};

  mutable Mutex failure_mutex_;
  std::string failure_ CH_GUARDED_BY(failure_mutex_);
};

}  // namespace chandler::storage
