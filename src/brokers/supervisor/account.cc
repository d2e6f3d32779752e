#include "brokers/supervisor/account.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/text.h"

namespace chandler::brokers {
namespace {

Error system_fault(std::string_view action, const std::string& path) {
  return unavailable(fmt::format("cannot {} {}: {}", action, path, std::generic_category().message(errno)));
}

bool may_pass(const struct stat& directory, const Account& account) {
  if (directory.st_uid == account.uid) return (directory.st_mode & S_IXUSR) != 0;
  if (directory.st_gid == account.gid) return (directory.st_mode & S_IXGRP) != 0;
  return (directory.st_mode & S_IXOTH) != 0;
}

}  // namespace

Result<std::optional<Account>> server_account(const std::vector<std::string>& names) {
  if (::geteuid() != 0) return std::optional<Account>();
  std::vector<std::string> candidates = names;
  candidates.emplace_back("nobody");
  for (const auto& name : candidates) {
    std::array<char, 16384> buffer{};
    struct passwd entry {};
    struct passwd* found = nullptr;
    if (::getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr &&
        entry.pw_uid != 0) {
      return std::optional<Account>(Account{name, entry.pw_uid, entry.pw_gid});
    }
  }
  return unavailable(
      fmt::format("no account for a database server is there; create one of {}, because servers are not "
                  "run as root",
                  join(candidates, ", ")));
}

Result<void> make_private_directory(const std::string& path, const std::optional<Account>& account) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return system_fault("create", path);
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return system_fault("look at", path);
  if (!S_ISDIR(info.st_mode)) return unavailable(fmt::format("{} is in the way; it should be a directory", path));
  if (account && ::chown(path.c_str(), account->uid, account->gid) != 0) return system_fault("give away", path);
  if (::chmod(path.c_str(), 0700) != 0) return system_fault("set the mode of", path);
  return {};
}

Result<std::string> closed_above(const std::string& top, const std::optional<Account>& account) {
  std::string closed;
  if (!account) return closed;
  for (auto at = std::filesystem::path(top).parent_path(); at != at.root_path(); at = at.parent_path()) {
    struct stat info {};
    if (::stat(at.c_str(), &info) != 0) return system_fault("look at", at.string());
    if (!may_pass(info, *account)) closed = at.string();
  }
  return closed;
}

Result<std::string> open_way(const std::string& top, const std::string& path, const std::optional<Account>& account) {
  if (!account) return std::string();
  for (std::filesystem::path at(path); at.string() == top || at.string().starts_with(top + "/");
       at = at.parent_path()) {
    struct stat info {};
    if (::stat(at.c_str(), &info) != 0) return system_fault("look at", at.string());
    if (!may_pass(info, *account) && ::chmod(at.c_str(), (info.st_mode & 07777) | S_IXGRP | S_IXOTH) != 0) {
      return system_fault("set the mode of", at.string());
    }
  }
  return closed_above(top, account);
}

}  // namespace chandler::brokers
