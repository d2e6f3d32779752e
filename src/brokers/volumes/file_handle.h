// An open file or directory, closed with its owner, and the few steps on directories that volumes are made of. Nothing
// here follows a symbolic link: what is opened is what the name says, or nothing. A handle knows by which calls it
// works, and what is opened below it works by the same, which must outlive it. Not thread-safe.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"
#include "brokers/volumes/file_calls.h"

namespace chandler::brokers {

class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int fd, const FileCalls& calls = system_file_calls()) : fd_(fd), calls_(&calls) {}
  FileHandle(FileHandle&& other) noexcept : fd_(std::exchange(other.fd_, -1)), calls_(other.calls_) {}
  FileHandle& operator=(FileHandle&& other) noexcept;
  ~FileHandle();

  int get() const { return fd_; }
  const FileCalls& calls() const { return *calls_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
  const FileCalls* calls_ = &system_file_calls();
};

// "making x: No space left on device". A full disk is kServiceUnavailable: trying again later makes sense.
Error system_error(std::string_view doing, const std::string& path);

// A directory below another one. Made when missing, with the mode as given; not one, or a link: an error.
Result<FileHandle> open_directory(const FileHandle& parent, const std::string& name);
Result<FileHandle> make_directory(const FileHandle& parent, const std::string& name, unsigned mode);
Result<FileHandle> open_file(const FileHandle& parent, const std::string& name, int flags);
// An error is not a no: what cannot be seen may be there.
Result<bool> exists(const FileHandle& parent, const std::string& name);
Result<void> remove_file(const FileHandle& parent, const std::string& name);  // fine when there is none
Result<void> sync_directory(const FileHandle& directory);
// With everything below; links are removed, not followed, and other file systems mounted below are an error. Fine when
// there is nothing.
Result<void> remove_tree(const FileHandle& parent, const std::string& name);

}  // namespace chandler::brokers
