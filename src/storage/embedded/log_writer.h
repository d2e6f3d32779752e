// All writing to the database: batches, the floor, and the removal of history below it. One connection, driven by the
// commit thread alone; only floor() and TrimPause are for other threads.
//
// A batch is one transaction and one sync. Expectations are checked inside it against `cur`, so nothing of the data is
// held in memory. When COMMIT fails for want of space the batch is rolled back and later ones may succeed; when it
// fails in any other way nobody knows what reached the disk, so the store has failed (StoreFailure) and the writer
// refuses all further work until a restart has read what is there.
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
#include "storage/commit_thread.h"
#include "storage/embedded/checkpointer.h"
#include "storage/embedded/schema.h"
#include "storage/embedded/sqlite.h"
#include "storage/embedded/store_failure.h"

namespace chandler::storage {

class LogWriter final : public CommitEngine {
 public:
  // The others outlive the writer.
  static Result<std::unique_ptr<LogWriter>> open(Database database, Checkpointer& checkpointer, StoreFailure& failure,
                                                 metrics::Histogram& commit_seconds);

  Result<std::vector<WriteOutcome>> apply(std::span<const Write> batch) override;
  bool work_idle() override;
  Result<bool> raise_floor(Revision floor);  // clamped; false: it was there already
  // Copies all into the database file, as far as nobody reads; nothing after a failure.
  void finish();

  Revision newest() const { return marks_.newest; }
  Revision floor() const { return floor_.load(std::memory_order_acquire); }

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
  LogWriter(Database database, Checkpointer& checkpointer, StoreFailure& failure, metrics::Histogram& commit_seconds)
      : database_(std::move(database)),
        checkpointer_(checkpointer),
        failure_(failure),
        commit_seconds_(commit_seconds) {}
  Result<void> prepare();

  Result<void> begin();
  Result<void> end();                             // COMMIT
  Error give_up(Error because);                   // ROLLBACK
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
  StoreFailure& failure_;
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
};

}  // namespace chandler::storage
