// The file behind an audit log: lines are appended, and when it would grow beyond its size it is renamed after the time
// and a new one is begun. Old ones are removed by number and by age. "-" is standard output, which is never rotated.
// After a failed write the file is opened anew by the next one. For one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace chandler::apiserver {

class AuditFile {
 public:
  struct Limits {
    uint64_t max_bytes = 100 * 1024 * 1024;  // of one file
    size_t max_backups = 0;                  // rotated files that are kept; 0: any number
    size_t max_age_days = 0;                 // and for how long; 0: for ever
  };

  AuditFile(std::string path, Limits limits, const Clock& clock);
  ~AuditFile();
  AuditFile(const AuditFile&) = delete;
  AuditFile& operator=(const AuditFile&) = delete;

  // Opens it (0600, appending), so that a path that cannot work is found out at start.
  Result<void> open();
  Result<void> append(std::string_view lines);  // whole lines, not larger than a file

 private:
  Result<void> rotate();
  void remove_old() const;
  void close();

  const std::string path_;
  const Limits limits_;
  const Clock& clock_;
  int fd_ = -1;
  uint64_t size_ = 0;
};

}  // namespace chandler::apiserver
