// Puts a backup into a data directory: checks all of it before anything is touched, gathers the new files beside, and
// puts them in place all or none (embedded/restore_journal.h). What was there before is kept in a folder of its own.
//
// Objects keep UID and revision. The store goes on at a revision that no client of the old server can have seen, with
// no history before it, so every watch and every page token from before gets 410 and lists again. The encryption keys
// come from the backup, from a file that is given, or stay; certificates and the key behind service account tokens come
// from the backup or stay, and are made anew by the next start where there are none.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/clock.h"
#include "storage/backup/backup_format.h"
#include "storage/store.h"

namespace chandler::storage {

struct RestoreOptions {
  std::string directory;
  std::string from;
  std::string key_file;  // empty: the backup's own, else the directory's
  bool force = false;    // also into a directory that is in use
  std::string vfs;       // SQLite's file system to use; for tests
  std::function<void(int64_t done, int64_t all)> progress;
};

struct RestoreReport {
  BackupHeader header;
  Revision revision = 0;  // that the store goes on from
  int64_t sealed = 0;     // objects among those restored
  std::string aside;      // where the files are that were there before; empty: there were none
  bool has_pki = false;   // the directory has an authority now
};

// The revision that a store goes on from when the state of `header` comes back at `now`.
Revision revision_after_restore(const BackupHeader& header, WallTime now);

Result<RestoreReport> restore_backup(const RestoreOptions& options, const Clock& clock);

}  // namespace chandler::storage
