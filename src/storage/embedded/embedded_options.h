// Settings of the embedded store. Plain data.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "storage/commit_thread.h"

namespace chandler::metrics {
class Registry;
}

namespace chandler::storage {

enum class Durability {
  kFull,    // every commit is synced: nothing acknowledged is lost when the power fails
  kNormal,  // synced every second: a power cut may lose what was written since, a crash of the process nothing
};

struct EmbeddedOptions {
  std::string directory;  // created if missing; holds chandler.db, its write-ahead log, and the lock file
  Durability durability = Durability::kFull;
  CommitLimits limits;
  std::chrono::milliseconds sync_every{1'000};  // with kNormal: how long a write may stay unsynced
  int checkpoint_pages = 500;            // of 8 KiB: pages in the write-ahead log that make a checkpoint worthwhile
  metrics::Registry* metrics = nullptr;  // must outlive the store
  // Runs once, on a thread of the store, when the store takes no more writes until it is opened again
  // (Store::failure()); must not call the store.
  std::function<void()> on_failure;
  std::string vfs;  // SQLite's file system to use; empty: the default. Tests inject faults here.
};

}  // namespace chandler::storage
