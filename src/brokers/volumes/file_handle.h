// An open file or directory, closed with its owner, and the few steps on directories that volumes are made of. Nothing
// here follows a symbolic link: what is opened is what the name says, or nothing. Not thread-safe.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace chandler::brokers {

class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int fd) : fd_(fd) {}
  FileHandle(FileHandle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept;
  ~FileHandle();

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// "making x: No space left on device". A full disk is kServiceUnavailable: trying again later makes sense.
Error system_error(std::string_view doing, const std::string& path);

// A directory below another one. Made when missing, with the mode as given; not one, or a link: an error.
Result<FileHandle> open_directory(const FileHandle& parent, const std::string& name);
Result<FileHandle> make_directory(const FileHandle& parent, const std::string& name, unsigned mode);
bool exists(const FileHandle& parent, const std::string& name);
Result<void> sync_directory(const FileHandle& directory);
// With everything below; links are removed, not followed, and other file systems mounted below are an error. Fine when
// there is nothing.
Result<void> remove_tree(const FileHandle& parent, const std::string& name);

}  // namespace chandler::brokers
