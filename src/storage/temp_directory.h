// For tests: a directory that is removed with all its content. Not thread-safe.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/check.h"

namespace chandler::storage {

class TempDirectory {
 public:
  explicit TempDirectory(const std::filesystem::path& parent = std::filesystem::temp_directory_path())
      : path_(parent / "chandler-storage-XXXXXX") {
    CH_CHECK(::mkdtemp(path_.data()) != nullptr);
  }
  ~TempDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  // Where files cost no disk access, if the system has such a place; for tests that sync thousands of times.
  static std::filesystem::path memory() {
    return ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : std::filesystem::temp_directory_path();
  }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace chandler::storage
