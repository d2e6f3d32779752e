#include "storage/embedded/checkpointer.h"

#include <utility>

#include "base/log.h"
#include "base/pool.h"

namespace chandler::storage {
namespace {

constexpr int kLongFactor = 4;      // a log of so many times the checkpoint's size should begin anew
constexpr int kTooLongFactor = 16;  // and this is too long to wait for the thread any more
constexpr int kShortRest = 256;     // pages that the writer may copy without anyone noticing
constexpr int kRounds = 4;          // each copies what was written during the one before, so they get shorter

}  // namespace

Checkpointer::Checkpointer(Database database, StoreFailure& failure, int every_pages,
                           std::chrono::milliseconds sync_every)
    : every_pages_(every_pages),
      sync_every_(sync_every),
      database_(std::move(database)),
      failure_(failure),
      thread_([this] { loop(); }) {}

Checkpointer::~Checkpointer() {
  {
    MutexLock lock(mutex_);
    closing_ = true;
    wake_.notify_one();
  }
  thread_.join();
}

void Checkpointer::wrote(int wal_pages) {
  unsynced_.store(true, std::memory_order_relaxed);
  if (wal_pages < told_at_) told_at_ = 0;  // the log has begun anew
  if (wal_pages < told_at_ + every_pages_) return;
  told_at_ = wal_pages;
  if (wal_pages >= every_pages_ * kTooLongFactor) restart_due_.store(true, std::memory_order_release);
  if (restart_due()) return;
  MutexLock lock(mutex_);
  wanted_ = true;
  wake_.notify_one();
}

bool Checkpointer::wait_for_work() {
  MutexLock lock(mutex_);
  auto due = std::chrono::steady_clock::now() + sync_every_;
  while (!wanted_ && !closing_) {
    if (sync_every_.count() == 0) {
      wake_.wait(mutex_);
    } else if (!wake_.wait_until(mutex_, due)) {
      if (unsynced_.load(std::memory_order_relaxed)) break;
      due = std::chrono::steady_clock::now() + sync_every_;
    }
  }
  wanted_ = false;
  return !closing_;
}

void Checkpointer::loop() {
  name_this_thread("store-checkpt");
  let_others_finish();
  while (wait_for_work()) {
    unsynced_.store(false, std::memory_order_relaxed);
    if (!restart_due()) {
      checkpoint();
    } else if (sync_every_.count() != 0) {
      // The writer will copy the rest, but only with its next commit, and that may be far off.
      (void)copy();
    }
  }
}

Result<Database::Checkpoint> Checkpointer::copy() {
  if (failure_.happened()) return unavailable(failure_.text());
  auto done = database_.checkpoint(Database::CheckpointMode::kPassive);
  if (done.ok()) return done;
  if (database_.sync_failed()) {
    failure_.report(done.error());
  } else {
    log::warn("checkpoint failed; the write-ahead log grows until one succeeds", {{"error", done.error().message}});
  }
  return done;
}

void Checkpointer::checkpoint() {
  int copied_before = 0;
  for (int round = 0; round < kRounds && !restart_due(); ++round) {
    const auto done = copy();
    if (!done.ok()) return;
    const bool reader_in_the_way = done->copied_pages < done->wal_pages;
    if (reader_in_the_way || done->wal_pages < every_pages_ * kLongFactor) return;
    // What this round had to copy tells what was written meanwhile, and so what the writer would have to copy.
    if (round > 0 && done->copied_pages - copied_before <= kShortRest) break;
    copied_before = done->copied_pages;
  }
  restart_due_.store(true,
                     std::memory_order_release);  // too much for the writer or not: the log must not grow for ever
}

}  // namespace chandler::storage
