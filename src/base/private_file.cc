#include "base/private_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/file.h"
#include "base/log.h"

namespace chandler {
namespace {

constexpr mode_t kAllBits = 07777;
constexpr mode_t kChangedByOthers = S_IWGRP | S_IWOTH;
constexpr mode_t kReadOrChangedByOthers = S_IRGRP | S_IROTH | kChangedByOthers;

Error private_fault(std::string_view action, const std::string& path) {
  return unavailable(fmt::format("cannot {} {}: {}", action, path, std::generic_category().message(errno)));
}

bool is_trusted(uid_t owner, uid_t self) { return self == 0 || owner == self || owner == 0; }

Error refusal(PrivateKind kind, const std::string& path, const struct stat& info) {
  if (kind != PrivateKind::kGiven && !is_trusted(info.st_uid, ::geteuid())) {
    return unavailable(
        fmt::format("{} belongs to another account (user id {}), which can change it; run \"chown {} {}\"", path,
                    info.st_uid, ::geteuid(), path));
  }
  const auto mode = info.st_mode & kAllBits;
  if (kind == PrivateKind::kDirectory) {
    return unavailable(
        fmt::format("others than its owner may read or change the directory {} (mode {:04o}); run \"chmod 700 {}\", or "
                    "choose a directory in it that does not exist yet, which is then made with that mode",
                    path, mode, path));
  }
  const bool is_changeable = (mode & kChangedByOthers) != 0;
  return unavailable(fmt::format(
      "others than its owner may {} {} (mode {:04o}); {}, then run \"chmod 600 {}\"", is_changeable ? "change" : "read",
      path, mode, is_changeable ? "make sure that nobody did" : "replace it if somebody could have done so", path));
}

// Does what the verdict says.
Result<void> act(PrivateKind kind, const std::string& path, const struct stat& info) {
  const auto mode = info.st_mode & kAllBits;
  switch (judge_private(kind, info.st_mode, info.st_uid, ::geteuid())) {
    case PrivateVerdict::kFine:
      break;
    case PrivateVerdict::kWarn:
      log::warn("others than its owner may read a file with secrets; run chmod 600, or 640 for a group of its own",
                {{"file", path}, {"mode", fmt::format("{:04o}", mode)}});
      break;
    case PrivateVerdict::kTighten: {
      const mode_t tightened = mode & ~(kind == PrivateKind::kDirectory ? kReadOrChangedByOthers : S_IRWXG | S_IRWXO);
      if (::chmod(path.c_str(), tightened) != 0) return refusal(kind, path, info);
      log::warn("others could read what is private; its mode was changed",
                {{"path", path}, {"before", fmt::format("{:04o}", mode)}, {"now", fmt::format("{:04o}", tightened)}});
      break;
    }
    case PrivateVerdict::kRefuse:
      return refusal(kind, path, info);
  }
  return {};
}

struct Opened {
  ~Opened() {
    if (fd >= 0) ::close(fd);
  }
  int fd;
};

Result<std::string> read_checked(PrivateKind kind, const std::string& path) {
  const Opened file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat info {};
  if (file.fd < 0 || ::fstat(file.fd, &info) != 0) return private_fault("read", path);
  CH_TRY(act(kind, path, info));
  std::string content;
  char buffer[16 * 1024];
  for (;;) {
    const ssize_t got = ::read(file.fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return private_fault("read", path);
    if (got == 0) return content;
    content.append(buffer, static_cast<size_t>(got));
  }
}

// Whether the mode of this directory is ours to change.
bool is_ours(const std::string& path, std::initializer_list<std::string_view> signs) {
  std::error_code fault;
  const bool is_marked = signs.size() == 0 || std::any_of(signs.begin(), signs.end(), [&](std::string_view sign) {
                           return file_exists(fmt::format("{}/{}", path, sign));
                         });
  return is_marked || (std::filesystem::is_empty(path, fault) && !fault);
}

}  // namespace

PrivateVerdict judge_private(PrivateKind kind, mode_t mode, uid_t owner, uid_t self) {
  if (kind == PrivateKind::kGiven) {
    if ((mode & S_IWOTH) != 0) return PrivateVerdict::kRefuse;
    return (mode & (S_IROTH | S_IWGRP)) != 0 ? PrivateVerdict::kWarn : PrivateVerdict::kFine;
  }
  if (!is_trusted(owner, self)) return PrivateVerdict::kRefuse;
  const bool may_tighten = self == 0 || owner == self;
  const bool is_changeable = (mode & kChangedByOthers) != 0;
  const bool is_readable = (mode & S_IROTH) != 0;
  if (!is_changeable && !is_readable) return PrivateVerdict::kFine;
  if (kind == PrivateKind::kKey || !may_tighten) return PrivateVerdict::kRefuse;
  return kind == PrivateKind::kData && is_changeable ? PrivateVerdict::kRefuse : PrivateVerdict::kTighten;
}

Result<std::string> read_private_file(const std::string& path) { return read_checked(PrivateKind::kKey, path); }

Result<void> check_given_file(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return private_fault("read", path);
  return act(PrivateKind::kGiven, path, info);
}

Result<std::string> read_given_file(const std::string& path) { return read_checked(PrivateKind::kGiven, path); }

// Opens nothing: closing a file would end the locks that SQLite has on it.
Result<void> secure_file(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return errno == ENOENT ? Result<void>() : private_fault("read", path);
  return act(PrivateKind::kData, path, info);
}

Result<void> secure_directory(const std::string& path, std::initializer_list<std::string_view> signs) {
  CH_TRY(make_directories(path, 0700));
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return private_fault("read", path);
  const auto verdict = judge_private(PrivateKind::kDirectory, info.st_mode, info.st_uid, ::geteuid());
  if (verdict == PrivateVerdict::kTighten && !is_ours(path, signs)) return refusal(PrivateKind::kDirectory, path, info);
  return act(PrivateKind::kDirectory, path, info);
}

}  // namespace chandler
