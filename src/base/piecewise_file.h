// Files too large to hold in memory: written piece by piece beside their place and put there as a whole, or read piece
// by piece. Errors name the path and what the system said. A FileWriter belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chandler {

// Writes PATH.tmp; finish() syncs it and renames it to PATH. Destroyed before that, it removes PATH.tmp again. What a
// killed process left there is overwritten; a PATH.tmp that another process is writing is refused.
class FileWriter {
 public:
  static Result<FileWriter> create(const std::string& path, unsigned mode);
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&&) = delete;
  ~FileWriter();

  Result<void> write(std::string_view piece);
  Result<void> finish();

 private:
  FileWriter(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}

  int fd_ = -1;
  std::string path_;
};

// A file without a name, in `directory`, that is gone when it is closed, or when the process is. Readable by nobody
// else. write() appends; read() reads anywhere.
class ScratchFile {
 public:
  static Result<ScratchFile> create(const std::string& directory);
  ScratchFile(ScratchFile&& other) noexcept;
  ScratchFile& operator=(ScratchFile&&) = delete;
  ~ScratchFile();

  Result<void> write(std::string_view piece);
  uint64_t size() const { return size_; }
  // Up to `size` bytes from `at` on into `out`, which is replaced; empty at the end.
  Result<void> read(uint64_t at, size_t size, std::string& out) const;

 private:
  ScratchFile(int fd, std::string directory) : fd_(fd), directory_(std::move(directory)) {}

  int fd_ = -1;
  std::string directory_;  // for errors
  uint64_t size_ = 0;
};

// Hands the file over in pieces, in order, until `take` fails (that error comes back) or the file ends.
Result<void> read_pieces(const std::string& path, const std::function<Result<void>(std::string_view piece)>& take);

// A rename, or a new file, is on disk only once its directory is.
Result<void> sync_directory(const std::string& directory);
Result<void> sync_file(const std::string& path);
Result<void> rename_path(const std::string& from, const std::string& to);

}  // namespace chandler
