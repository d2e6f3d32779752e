// For tests: the calls of the operating system, of which one that the test chooses fails. Not thread-safe.
#pragma once

#include <cerrno>
#include <cstdint>

#include "brokers/volumes/file_calls.h"

namespace chandler::brokers {

class FaultyFileCalls final : public FileCalls {
 public:
  // The so-manieth call from now on fails, once; 0: none.
  void fail_at(int call, int error) {
    left_ = call;
    error_ = error;
    has_failed_ = false;
  }
  bool has_failed() const { return has_failed_; }

  int open_at(int parent, const char* name, int flags, unsigned mode) const override {
    return fails() ? -1 : real_.open_at(parent, name, flags, mode);
  }
  int make_directory_at(int parent, const char* name, unsigned mode) const override {
    return fails() ? -1 : real_.make_directory_at(parent, name, mode);
  }
  int rename_at(int from, const char* old_name, int to, const char* name) const override {
    return fails() ? -1 : real_.rename_at(from, old_name, to, name);
  }
  int unlink_at(int parent, const char* name, int flags) const override {
    return fails() ? -1 : real_.unlink_at(parent, name, flags);
  }
  int stat_at(int parent, const char* name, struct stat& out) const override {
    return fails() ? -1 : real_.stat_at(parent, name, out);
  }
  int stat_of(int file, struct stat& out) const override { return fails() ? -1 : real_.stat_of(file, out); }
  int room_at(int file, struct statvfs& out) const override {
    if (fails() || real_.room_at(file, out) != 0) return -1;
    if (has_no_room) out.f_bavail = 1;
    return 0;
  }
  int set_mode(int file, unsigned mode) const override { return fails() ? -1 : real_.set_mode(file, mode); }
  int set_size(int file, uint64_t bytes) const override { return fails() ? -1 : real_.set_size(file, bytes); }
  int reserve(int file, uint64_t bytes) const override {
    if (!cannot_reserve) return fails() ? -1 : real_.reserve(file, bytes);
    errno = EOPNOTSUPP;
    return -1;
  }
  int sync(int file) const override { return fails() ? -1 : real_.sync(file); }
  DIR* open_stream(int file) const override { return fails() ? nullptr : real_.open_stream(file); }
  const dirent* next_entry(DIR* stream) const override { return fails() ? nullptr : real_.next_entry(stream); }
  int control(int file, unsigned long request, void* argument) const override {
    return fails() ? -1 : real_.control(file, request, argument);
  }
  int mount(const char* device, const char* place) const override { return fails() ? -1 : real_.mount(device, place); }
  int unmount(const char* place) const override { return fails() ? -1 : real_.unmount(place); }

  bool has_no_room = false;     // all but a block of the disk is taken
  bool cannot_reserve = false;  // a file system that knows only sparse files

 private:
  bool fails() const {
    if (left_ == 0 || --left_ > 0) return false;
    has_failed_ = true;
    errno = error_;
    return true;
  }

  const FileCalls& real_ = system_file_calls();
  mutable int left_ = 0;
  mutable bool has_failed_ = false;
  int error_ = EIO;
};

}  // namespace chandler::brokers
