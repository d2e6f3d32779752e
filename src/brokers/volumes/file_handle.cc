#include "brokers/volumes/file_handle.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include <fmt/format.h>

namespace chandler::brokers {
namespace {

constexpr int kDirectory = O_RDONLY | O_DIRECTORY;
constexpr unsigned kFileMode = 0600;
constexpr size_t kDeepest = 64;    // each level holds an open file while it is removed
constexpr size_t kAtOnce = 4'096;  // names of a directory that are held in memory

struct Closer {
  void operator()(DIR* stream) const { ::closedir(stream); }
};

// At most kAtOnce of them.
Result<std::vector<std::string>> names_in(const FileHandle& directory, const std::string& path) {
  const auto& calls = directory.calls();
  const int copy = calls.open_at(directory.get(), ".", kDirectory, 0);
  if (copy < 0) return system_error("opening", path);
  const std::unique_ptr<DIR, Closer> stream(calls.open_stream(copy));
  if (stream == nullptr) {
    auto error = system_error("reading", path);  // before closing changes errno
    ::close(copy);
    return error;
  }
  std::vector<std::string> names;
  while (names.size() < kAtOnce) {
    errno = 0;
    const auto* entry = calls.next_entry(stream.get());
    if (entry == nullptr) {
      if (errno != 0) return system_error("reading", path);
      break;
    }
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  return names;
}

// A tree that is being removed. Users decide how deep and how wide it is.
struct Removal {
  dev_t device = 0;
  const FileHandle* top = nullptr;
  size_t lifted = 0;  // directories that lay too deep and were moved up, to be removed from there
};

Result<void> lift(const FileHandle& parent, const std::string& name, Removal& removal) {
  for (;;) {
    const auto place = fmt::format("lifted-{}", removal.lifted++);
    // Replaces nothing but an empty directory, which is to go as well.
    const int moved = parent.calls().rename_at(parent.get(), name.c_str(), removal.top->get(), place.c_str());
    if (moved == 0 || errno == ENOENT) return {};
    if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR) return system_error("moving", name);
  }
}

Result<void> remove_below(const FileHandle& parent, const std::string& name, Removal& removal, size_t depth) {
  struct stat status {};
  if (parent.calls().stat_at(parent.get(), name.c_str(), status) != 0) {
    return errno == ENOENT ? Result<void>() : system_error("looking at", name);
  }
  if (!S_ISDIR(status.st_mode)) return remove_file(parent, name);
  if (status.st_dev != removal.device) {
    return internal_error(fmt::format("removing {}: another file system is mounted there; unmount it first", name));
  }
  if (depth > kDeepest) return lift(parent, name, removal);
  CH_TRY_LET(directory, open_directory(parent, name));
  if (depth == 0) removal.top = &directory;
  for (bool more = true; more;) {
    const size_t lifted = removal.lifted;
    CH_TRY_LET(names, names_in(directory, name));
    for (const auto& below : names) CH_TRY(remove_below(directory, below, removal, depth + 1));
    more = names.size() == kAtOnce || removal.lifted != lifted;
  }
  if (parent.calls().unlink_at(parent.get(), name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return {};
  return system_error("removing", name);
}

}  // namespace

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(calls_, other.calls_);
  return *this;
}

FileHandle::~FileHandle() {
  if (fd_ >= 0) ::close(fd_);
}

Error system_error(std::string_view doing, const std::string& path) {
  const int code = errno;
  const auto message = fmt::format("{} {}: {}", doing, path, std::strerror(code));
  if (code != ENOSPC && code != EDQUOT) return internal_error(message);
  Error error = internal_error(message + "; free some space, and it is tried again");
  error.reason = Reason::kServiceUnavailable;
  return error;
}

Result<FileHandle> open_directory(const FileHandle& parent, const std::string& name) {
  FileHandle directory(parent.calls().open_at(parent.get(), name.c_str(), kDirectory, 0), parent.calls());
  if (directory) return directory;
  if (errno == ELOOP || errno == ENOTDIR) {
    return internal_error(fmt::format("{} is not a directory of ours but a link or a file: remove it", name));
  }
  return system_error("opening", name);
}

Result<FileHandle> make_directory(const FileHandle& parent, const std::string& name, unsigned mode) {
  const auto& calls = parent.calls();
  const bool made = calls.make_directory_at(parent.get(), name.c_str(), 0700) == 0;
  if (!made && errno != EEXIST) return system_error("making", name);
  CH_TRY_LET(directory, open_directory(parent, name));
  // Also when it was there: the one who made it may have died before this.
  struct stat status {};
  if (calls.stat_of(directory.get(), status) != 0) return system_error("looking at", name);
  if ((status.st_mode & 07777) != mode && calls.set_mode(directory.get(), mode) != 0) {
    return system_error("setting the mode of", name);
  }
  // Also when it was there: the one who made it may have died, or failed, before this.
  CH_TRY(sync_directory(parent));
  return directory;
}

Result<FileHandle> open_file(const FileHandle& parent, const std::string& name, int flags) {
  FileHandle file(parent.calls().open_at(parent.get(), name.c_str(), flags, kFileMode), parent.calls());
  if (!file) return system_error("opening", name);
  return file;
}

Result<bool> exists(const FileHandle& parent, const std::string& name) {
  struct stat status {};
  if (parent.calls().stat_at(parent.get(), name.c_str(), status) == 0) return true;
  if (errno == ENOENT) return false;
  return system_error("looking at", name);
}

Result<void> remove_file(const FileHandle& parent, const std::string& name) {
  if (parent.calls().unlink_at(parent.get(), name.c_str(), 0) == 0 || errno == ENOENT) return {};
  return system_error("removing", name);
}

Result<void> sync_directory(const FileHandle& directory) {
  if (directory.calls().sync(directory.get()) == 0) return {};
  return system_error("syncing", "a directory");
}

Result<void> remove_tree(const FileHandle& parent, const std::string& name) {
  struct stat status {};
  if (parent.calls().stat_of(parent.get(), status) != 0) return system_error("looking at the parent of", name);
  Removal removal;
  removal.device = status.st_dev;
  CH_TRY(remove_below(parent, name, removal, 0));
  return sync_directory(parent);
}

}  // namespace chandler::brokers
