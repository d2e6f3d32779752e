// Backups of the running server, as answers to requests: GET /chandler/v1/backup, and /chandler/v1/backup-with-keys,
// which is a path of its own so that the right to it is one of its own. Each runs on a thread of its own, a few at
// most: it copies one state of the store into a nameless file of the data directory (writers go on; the read takes as
// long as the disk does, however slow the client is) and then sends that. Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "apiserver/backup_pipe.h"
#include "apiserver/call.h"
#include "base/mutex.h"
#include "base/piecewise_file.h"
#include "storage/backup/backup_writer.h"
#include "storage/store.h"

namespace chandler::apiserver {

inline constexpr std::string_view kBackupPath = "/chandler/v1/backup";
inline constexpr std::string_view kBackupWithKeysPath = "/chandler/v1/backup-with-keys";

class Backups {
 public:
  struct Options {
    std::string directory;  // for the copy
    std::string program;    // version
    std::function<Result<std::vector<storage::CarriedFile>>()> key_files;
  };

  // `store` and `clock` outlive it.
  Backups(storage::Store& store, Options options, const Clock& clock);
  ~Backups();  // stop()
  Backups(const Backups&) = delete;
  Backups& operator=(const Backups&) = delete;

  // Answers the call, later.
  void start(const Services& services, const CallPtr& call, bool with_keys) CH_EXCLUDES(mutex_);
  // Ends those that run; waits for their threads.
  void stop() CH_EXCLUDES(mutex_);

 private:
  struct Job {
    std::shared_ptr<BackupPipe> pipe = std::make_shared<BackupPipe>();
    std::atomic<bool> finished{false};
    std::thread thread;
  };

  void run(const Services& services, const CallPtr& call, bool with_keys, const std::shared_ptr<BackupPipe>& pipe);
  Result<void> copy(bool with_keys, const BackupPipe& pipe, ScratchFile& file) const;

  storage::Store& store_;
  const Options options_;
  const Clock& clock_;
  Mutex mutex_;
  std::vector<std::unique_ptr<Job>> jobs_ CH_GUARDED_BY(mutex_);
  bool stopped_ CH_GUARDED_BY(mutex_) = false;
};

}  // namespace chandler::apiserver
