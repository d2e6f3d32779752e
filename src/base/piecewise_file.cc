#include "base/piecewise_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace chandler {
namespace {

constexpr size_t kReadBytes = 256 * 1024;

Error piecewise_fault(std::string_view action, const std::string& path) {
  Error error;
  error.reason = Reason::kInternalError;
  error.message = fmt::format("cannot {} {}: {}", action, path, std::generic_category().message(errno));
  return error;
}

// The descriptor of a call, closed at its end.
struct ScopedFd {
  int fd;
  ~ScopedFd() {
    if (fd >= 0) ::close(fd);
  }
};

Result<void> append_all(int fd, std::string_view piece, const std::string& path) {
  while (!piece.empty()) {
    const ssize_t written = ::write(fd, piece.data(), piece.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return piecewise_fault("write", path);
    piece.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

Result<void> sync_opened(const std::string& path, int flags) {
  const ScopedFd opened{::open(path.c_str(), flags | O_CLOEXEC)};
  if (opened.fd < 0) return piecewise_fault("open", path);
  if (::fsync(opened.fd) != 0) return piecewise_fault("sync", path);
  return {};
}

}  // namespace

Result<FileWriter> FileWriter::create(const std::string& path, unsigned mode) {
  const std::string beside = path + ".tmp";
  const int fd = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return piecewise_fault("create", beside);
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const bool busy = errno == EWOULDBLOCK;
    auto fault = piecewise_fault("lock", beside);
    ::close(fd);
    if (busy) fault.message = fmt::format("{} is being written by another process; wait for it to end", beside);
    return fault;
  }
  FileWriter writer(fd, path);
  if (::ftruncate(fd, 0) != 0) return piecewise_fault("empty", beside);
  if (::fchmod(fd, static_cast<mode_t>(mode)) != 0) return piecewise_fault("set the mode of", beside);
  return writer;
}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}

FileWriter::~FileWriter() {
  if (fd_ < 0) return;
  ::unlink((path_ + ".tmp").c_str());
  ::close(fd_);
}

Result<void> FileWriter::write(std::string_view piece) { return append_all(fd_, piece, path_ + ".tmp"); }

Result<void> FileWriter::finish() {
  const std::string beside = path_ + ".tmp";
  if (::fsync(fd_) != 0) return piecewise_fault("sync", beside);
  CH_TRY(rename_path(beside, path_));
  ::close(std::exchange(fd_, -1));
  const std::string directory = std::filesystem::path(path_).parent_path();
  return sync_directory(directory.empty() ? "." : directory);
}

Result<ScratchFile> ScratchFile::create(const std::string& directory) {
  int fd = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
    // A file system without nameless files: a name for a moment.
    std::string name = directory + "/scratch-XXXXXX";
    fd = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd >= 0) ::unlink(name.c_str());
  }
  if (fd < 0) return piecewise_fault("create a temporary file in", directory);
  return ScratchFile(fd, directory);
}

ScratchFile::ScratchFile(ScratchFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), directory_(std::move(other.directory_)), size_(other.size_) {}

ScratchFile::~ScratchFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<void> ScratchFile::write(std::string_view piece) {
  CH_TRY(append_all(fd_, piece, "a temporary file in " + directory_));
  size_ += piece.size();
  return {};
}

Result<void> ScratchFile::read(uint64_t at, size_t size, std::string& out) const {
  out.resize(size);
  ssize_t got = 0;
  do {
    got = ::pread(fd_, out.data(), size, static_cast<off_t>(at));
  } while (got < 0 && errno == EINTR);
  out.resize(got > 0 ? static_cast<size_t>(got) : 0);
  if (got < 0) return piecewise_fault("read a temporary file in", directory_);
  return {};
}

Result<void> read_pieces(const std::string& path, const std::function<Result<void>(std::string_view piece)>& take) {
  const ScopedFd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) return piecewise_fault("read", path);
  std::string buffer(kReadBytes, '\0');
  for (;;) {
    const ssize_t got = ::read(file.fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return piecewise_fault("read", path);
    if (got == 0) return {};
    CH_TRY(take(std::string_view(buffer.data(), static_cast<size_t>(got))));
  }
}

Result<void> sync_directory(const std::string& directory) { return sync_opened(directory, O_RDONLY | O_DIRECTORY); }
Result<void> sync_file(const std::string& path) { return sync_opened(path, O_RDONLY); }

Result<void> rename_path(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return piecewise_fault("put in place", to);
  return {};
}

}  // namespace chandler
