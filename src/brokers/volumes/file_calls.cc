#include "brokers/volumes/file_calls.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstdio>

namespace chandler::brokers {
namespace {

class SystemFileCalls final : public FileCalls {
 public:
  int open_at(int parent, const char* name, int flags, unsigned mode) const override {
    return ::openat(parent, name, flags | O_NOFOLLOW | O_CLOEXEC, mode);
  }
  int make_directory_at(int parent, const char* name, unsigned mode) const override {
    return ::mkdirat(parent, name, mode);
  }
  int rename_at(int from, const char* old_name, int to, const char* name) const override {
    return ::renameat(from, old_name, to, name);
  }
  int unlink_at(int parent, const char* name, int flags) const override { return ::unlinkat(parent, name, flags); }
  int stat_at(int parent, const char* name, struct stat& out) const override {
    return ::fstatat(parent, name, &out, AT_SYMLINK_NOFOLLOW);
  }
  int stat_of(int file, struct stat& out) const override { return ::fstat(file, &out); }
  int room_at(int file, struct statvfs& out) const override { return ::fstatvfs(file, &out); }
  int set_mode(int file, unsigned mode) const override { return ::fchmod(file, mode); }
  int set_size(int file, uint64_t bytes) const override { return ::ftruncate(file, static_cast<off_t>(bytes)); }
  int reserve(int file, uint64_t bytes) const override { return ::fallocate(file, 0, 0, static_cast<off_t>(bytes)); }
  int sync(int file) const override { return ::fsync(file); }
  DIR* open_stream(int file) const override { return ::fdopendir(file); }
  const dirent* next_entry(DIR* stream) const override { return ::readdir(stream); }
  int control(int file, unsigned long request, void* argument) const override {
    return ::ioctl(file, request, argument);
  }
  int mount(const char* device, const char* place) const override {
    return ::mount(device, place, "ext4", MS_NOSUID | MS_NODEV, nullptr);
  }
  int unmount(const char* place) const override { return ::umount2(place, UMOUNT_NOFOLLOW); }
};

}  // namespace

const FileCalls& system_file_calls() {
  static const SystemFileCalls calls;
  return calls;
}

}  // namespace chandler::brokers
