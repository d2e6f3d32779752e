// Whole files. Errors name the path and what the system said.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace chandler {

Result<std::string> read_file(const std::string& path);
// Written beside, synced and renamed, so that a reader sees the old or the new content, never a part of it; on disk
// when this returns. The mode is set as given, whatever the umask.
Result<void> write_file(const std::string& path, std::string_view content, unsigned mode = 0644);
bool file_exists(const std::string& path);
Result<void> make_directories(const std::string& path, unsigned mode = 0755);  // parents too, synced; fine if it exists

// Holds an exclusive flock on `path` (created if missing) until destroyed. A second holder gets an error that names the
// process that has it.
class FileLock {
 public:
  static Result<FileLock> acquire(const std::string& path);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

 private:
  explicit FileLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace chandler
