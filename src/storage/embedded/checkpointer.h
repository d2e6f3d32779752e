// Moves pages from the write-ahead log into the database file on a thread and connection of its own, so that no writer
// waits for it. It never takes SQLite's write lock (passive checkpoints only).
//
// SQLite begins the log anew only when a writer finds all of it copied, which never happens while writers keep writing.
// So when the log has grown long and nearly all of it is copied, this thread pauses and the writer is asked
// (restart_due) to copy the short rest itself between two commits: some pages and two syncs, once per some thousand
// commits. It is also asked when this thread does not keep up, so that the log cannot grow without bound.
//
// Where commits are not synced (Durability::kNormal) this thread sees to it that they are soon: a checkpoint syncs the
// log before it copies from it. A sync that fails is never repeated, as the system may have dropped what it could not
// write and then calls the next one a success: the store has failed (StoreFailure).
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "base/mutex.h"
#include "storage/embedded/sqlite.h"
#include "storage/embedded/store_failure.h"

namespace chandler::storage {

class Checkpointer {
 public:
  // `failure` outlives this. `sync_every`, if not 0: what was written is copied, and thereby synced, at least this
  // often.
  Checkpointer(Database database, StoreFailure& failure, int every_pages, std::chrono::milliseconds sync_every);
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  // The writer tells how long the log is after a commit. Cheap.
  void wrote(int wal_pages) CH_EXCLUDES(mutex_);
  // Whether the writer should copy the rest now; it says so when it has.
  bool restart_due() const { return restart_due_.load(std::memory_order_acquire); }
  void restart_done() { restart_due_.store(false, std::memory_order_release); }

 private:
  void loop() CH_EXCLUDES(mutex_);
  bool wait_for_work() CH_EXCLUDES(mutex_);  // false: it is over
  void checkpoint();
  // One checkpoint; an error has been seen to.
  Result<Database::Checkpoint> copy();

  const int every_pages_;
  const std::chrono::milliseconds sync_every_;
  Database database_;  // used by the thread only
  StoreFailure& failure_;
  std::atomic<bool> restart_due_{false};
  std::atomic<bool> unsynced_{false};
  int told_at_ = 0;  // length of the log when the thread was last woken; touched by the writer only

  Mutex mutex_;
  CondVar wake_;
  bool wanted_ CH_GUARDED_BY(mutex_) = false;
  bool closing_ CH_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last
};

}  // namespace chandler::storage
