#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/ids.h"

namespace chandler {
namespace {

// What the system said about `path`. Always an internal error: a missing file of ours is no 404 of the API.
Error system_fault(std::string_view action, const std::string& path) {
  Error error;
  error.reason = Reason::kInternalError;
  error.message = fmt::format("cannot {} {}: {}", action, path, std::generic_category().message(errno));
  return error;
}

// Closes a descriptor when it goes out of scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool open() const { return fd_ >= 0; }
  int get() const { return fd_; }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

// Creates `path`, which must not exist, with this content on disk.
Result<void> write_new(const std::string& path, std::string_view content, unsigned mode) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.open()) return system_fault("create", path);
  // Set afterwards, because the mode at creation is cut by the umask.
  if (::fchmod(file.get(), static_cast<mode_t>(mode)) != 0) return system_fault("set the mode of", path);
  if (!write_all(file.get(), content)) return system_fault("write", path);
  if (::fsync(file.get()) != 0) return system_fault("sync", path);
  return {};
}

// A rename is on disk only once its directory is.
Result<void> sync_directory_of(const std::string& path) {
  std::string directory = std::filesystem::path(path).parent_path();
  if (directory.empty()) directory = ".";
  const Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.open()) return system_fault("open", directory);
  if (::fsync(opened.get()) != 0) return system_fault("sync", directory);
  return {};
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) return system_fault("read", path);
  std::string content;
  struct stat info {};
  if (::fstat(file.get(), &info) == 0 && info.st_size > 0) content.reserve(static_cast<size_t>(info.st_size));
  char buffer[64 * 1024];
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_fault("read", path);
    if (got == 0) return content;
    content.append(buffer, static_cast<size_t>(got));
  }
}

Result<void> write_file(const std::string& path, std::string_view content, unsigned mode) {
  const std::string beside = fmt::format("{}.{}.tmp", path, name_suffix(8));
  auto written = write_new(beside, content, mode);
  if (written.ok() && ::rename(beside.c_str(), path.c_str()) != 0) written = system_fault("replace", path);
  if (!written.ok()) {
    ::unlink(beside.c_str());
    return written;
  }
  return sync_directory_of(path);
}

bool file_exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

Result<void> make_directories(const std::string& path, unsigned mode) {
  for (size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    const std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), static_cast<mode_t>(mode)) == 0) {
      // Files in it may be synced as often as they like: a power cut takes them along with a directory that was not.
      CH_TRY(sync_directory_of(part));
      continue;
    }
    const int fault = errno;
    std::error_code ignored;
    if (std::filesystem::is_directory(part, ignored)) continue;
    errno = fault;
    return system_fault("create the directory", part);
  }
  return {};
}

}  // namespace chandler
