// What volumes ask of the operating system, one function for each call: -1 (or null) and errno say that it failed. A
// seam, so that tests let every single call fail. Nothing here follows a symbolic link. Thread-safe.
#pragma once

#include <dirent.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <cstdint>

namespace chandler::brokers {

class FileCalls {
 public:
  virtual ~FileCalls() = default;
  virtual int open_at(int parent, const char* name, int flags, unsigned mode) const = 0;
  virtual int make_directory_at(int parent, const char* name, unsigned mode) const = 0;
  virtual int rename_at(int from, const char* old_name, int to, const char* name) const = 0;
  virtual int unlink_at(int parent, const char* name, int flags) const = 0;
  virtual int stat_at(int parent, const char* name, struct stat& out) const = 0;
  virtual int stat_of(int file, struct stat& out) const = 0;
  virtual int room_at(int file, struct statvfs& out) const = 0;
  virtual int set_mode(int file, unsigned mode) const = 0;
  virtual int set_size(int file, uint64_t bytes) const = 0;
  virtual int reserve(int file, uint64_t bytes) const = 0;  // blocks on the disk, and the size
  virtual int sync(int file) const = 0;
  virtual DIR* open_stream(int file) const = 0;
  virtual const dirent* next_entry(DIR* stream) const = 0;
  virtual int control(int file, unsigned long request, void* argument) const = 0;
  virtual int mount(const char* device, const char* place) const = 0;  // an ext4 file system
  virtual int unmount(const char* place) const = 0;
};

const FileCalls& system_file_calls();

}  // namespace chandler::brokers
