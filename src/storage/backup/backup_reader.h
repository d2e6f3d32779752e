// Reads a backup that comes in pieces of any size and checks all of it: the check sum of every frame, the order of the
// frames, the number of objects, and in the end the digest of the whole. Holds one frame at a time. What is handed over
// before finish() has succeeded is not known to be complete. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/backup/backup_format.h"
#include "storage/backup/running_digest.h"

namespace chandler::storage {

// What is told, in this order. Views live during the call; an error ends the reading. Empty functions are not called.
struct BackupVisitor {
  std::function<Result<void>(const BackupHeader& header)> header;
  std::function<Result<void>(std::string_view name, std::string_view content)> file;
  std::function<Result<void>(Revision revision, std::string_view key, std::string_view value)> entry;
};

class BackupReader {
 public:
  // `name` is for errors: which backup.
  BackupReader(std::string name, BackupVisitor visitor);

  Result<void> feed(std::string_view piece);
  // After the last piece: fails if anything is missing or was added.
  Result<BackupEnd> finish();

  const std::optional<BackupHeader>& header() const { return header_; }
  int64_t objects() const { return seen_.objects; }

 private:
  Result<bool> take_one();  // false: more bytes are needed
  Result<void> take_frame(FrameType type, std::string_view payload);
  Result<void> take_header(std::string_view payload);
  Result<void> take_file(std::string_view payload);
  Result<void> take_entry(std::string_view payload);
  Result<void> take_end(std::string_view payload);
  Error damaged(std::string_view why) const;

  const std::string name_;
  const BackupVisitor visitor_;
  std::string buffer_;
  size_t at_ = 0;          // consumed of the buffer
  uint64_t consumed_ = 0;  // of the backup
  bool magic_seen_ = false;
  std::optional<BackupHeader> header_;
  Revision last_ = 0;
  BackupEnd seen_;                // counted
  std::optional<BackupEnd> end_;  // told
  RunningDigest digest_;
};

// Reads the file and checks it whole.
Result<BackupEnd> read_backup(const std::string& path, BackupVisitor visitor);

}  // namespace chandler::storage
