// FileLock of file.h.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"

namespace chandler {
namespace {

Error lock_fault(const std::string& path, std::string_view why) {
  Error error;
  error.reason = Reason::kInternalError;
  error.message = fmt::format("cannot lock {}: {}", path, why);
  return error;
}

std::string last_fault() { return std::generic_category().message(errno); }

}  // namespace

Result<FileLock> FileLock::acquire(const std::string& path) {
  FileLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (lock.fd_ < 0) return lock_fault(path, last_fault());
  if (::flock(lock.fd_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return lock_fault(path, last_fault());
    char pid[32];
    const ssize_t got = ::pread(lock.fd_, pid, sizeof pid, 0);
    const auto holder = trim(std::string_view(pid, got > 0 ? static_cast<size_t>(got) : 0));
    // The holder writes its number just after locking; in between nobody can be named.
    if (holder.empty()) return lock_fault(path, "another process holds it");
    return lock_fault(path, fmt::format("process {} holds it; stop that process first", holder));
  }
  const std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(lock.fd_, 0) != 0 || ::pwrite(lock.fd_, pid.data(), pid.size(), 0) < 0) {
    return lock_fault(path, last_fault());
  }
  return lock;
}

FileLock::FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileLock::~FileLock() {
  // Closing gives the lock back. The file stays: removing it would let two processes lock two files of one name.
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace chandler
