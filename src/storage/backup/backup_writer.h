// Writes a backup: header, files if there are any, the entries of one state, end. The bytes go to `out` in large
// pieces. Not thread-safe.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "storage/backup/backup_format.h"
#include "storage/backup/running_digest.h"
#include "storage/store.h"

namespace chandler::storage {

// A file of the data directory: its name there (one of kBackupFiles) and its content.
struct CarriedFile {
  std::string name;
  std::string content;
};

class BackupWriter final : public SnapshotSink {
 public:
  using Out = std::function<Result<void>(std::string_view piece)>;

  // `files` travel behind the header; none: the backup has no keys.
  BackupWriter(Out out, std::vector<CarriedFile> files, std::string program, WallTime time);

  Result<void> begin(const SnapshotHead& head) override;
  Result<void> entry(Revision revision, std::string_view key, std::string_view value) override;
  // After the last entry.
  Result<void> finish();

  const BackupHeader& header() const { return header_; }
  const BackupEnd& end() const { return end_; }

 private:
  Result<void> put(FrameType type, std::string_view payload);
  Result<void> flush();

  const Out out_;
  const std::vector<CarriedFile> files_;
  BackupHeader header_;
  BackupEnd end_;
  RunningDigest digest_;
  std::string pending_;
  std::string payload_;  // its memory serves again
};

}  // namespace chandler::storage
