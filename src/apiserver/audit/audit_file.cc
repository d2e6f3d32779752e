#include "apiserver/audit/audit_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/time_text.h"

namespace chandler::apiserver {
namespace {

constexpr mode_t kAuditMode = 0600;  // who did what is not for everybody
constexpr int kMaxSameTime = 100;

Error audit_failure(const std::string& path, std::string_view what, int code) {
  return internal_error(fmt::format("{}: {}: {}", path, what, std::strerror(code)));
}

// "/var/log/audit.log" becomes "/var/log/audit-", ".log".
std::pair<std::string, std::string> name_parts(const std::string& path) {
  const std::filesystem::path whole(path);
  const auto extension = whole.extension().string();
  return {path.substr(0, path.size() - extension.size()) + "-", extension};
}

// 2026-11-15T05-43-00.123: sorts by time and needs no quoting.
std::string time_for_name(WallTime time) {
  auto text = rfc3339_micro(time).substr(0, 23);
  std::replace(text.begin(), text.end(), ':', '-');
  return text;
}

std::optional<WallTime> time_in_name(std::string text) {
  if (text.size() < 23) return std::nullopt;
  text.resize(23);
  text[13] = text[16] = ':';
  return parse_rfc3339(text + "Z");
}

}  // namespace

AuditFile::AuditFile(std::string path, Limits limits, const Clock& clock)
    : path_(std::move(path)), limits_(limits), clock_(clock) {}

AuditFile::~AuditFile() { close(); }

void AuditFile::close() {
  if (fd_ > STDERR_FILENO) ::close(fd_);
  fd_ = -1;
}

Result<void> AuditFile::open() {
  if (fd_ >= 0) return {};
  if (path_ == "-") {
    fd_ = STDOUT_FILENO;
    return {};
  }
  fd_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, kAuditMode);
  if (fd_ < 0) return audit_failure(path_, "the audit log cannot be opened", errno);
  struct stat status {};
  size_ = ::fstat(fd_, &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
  return {};
}

Result<void> AuditFile::append(std::string_view lines) {
  CH_TRY(open());
  if (path_ != "-" && size_ > 0 && size_ + lines.size() > limits_.max_bytes) CH_TRY(rotate());
  while (!lines.empty()) {
    const auto written = ::write(fd_, lines.data(), lines.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int code = errno;
      close();
      return audit_failure(path_, "the audit log cannot be written", code);
    }
    lines.remove_prefix(static_cast<size_t>(written));
    size_ += static_cast<uint64_t>(written);
  }
  return {};
}

Result<void> AuditFile::rotate() {
  close();
  const auto [begin, end] = name_parts(path_);
  auto name = begin + time_for_name(clock_.now()) + end;
  for (int i = 1; std::filesystem::exists(name) && i < kMaxSameTime; ++i) {
    name = fmt::format("{}{}-{}{}", begin, time_for_name(clock_.now()), i, end);
  }
  const bool renamed = ::rename(path_.c_str(), name.c_str()) == 0 || errno == ENOENT;
  if (renamed) remove_old();
  CH_TRY(open());
  // A file that is too long is better than entries that are lost; it is tried again after as many bytes.
  if (!renamed) size_ = 0;
  return {};
}

void AuditFile::remove_old() const {
  if (limits_.max_backups == 0 && limits_.max_age_days == 0) return;
  const auto [begin, end] = name_parts(path_);
  const auto folder = std::filesystem::path(path_).parent_path();
  std::vector<std::pair<std::string, WallTime>> backups;
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder.empty() ? std::filesystem::path(".") : folder, ignored)) {
    auto name = folder.empty() ? entry.path().filename().string() : entry.path().string();
    if (!name.starts_with(begin) || !name.ends_with(end) || name.size() < begin.size() + end.size()) continue;
    const auto time = time_in_name(name.substr(begin.size(), name.size() - begin.size() - end.size()));
    if (time) backups.emplace_back(std::move(name), *time);
  }
  std::sort(backups.begin(), backups.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  const auto oldest = clock_.now() - std::chrono::hours(24) * static_cast<int64_t>(limits_.max_age_days);
  for (size_t i = 0; i < backups.size(); ++i) {
    const bool too_many = limits_.max_backups != 0 && i >= limits_.max_backups;
    const bool too_old = limits_.max_age_days != 0 && backups[i].second < oldest;
    if (too_many || too_old) std::filesystem::remove(backups[i].first, ignored);
  }
}

}  // namespace chandler::apiserver
