#include "storage/embedded/restore_journal.h"

#include <array>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/file.h"
#include "base/log.h"
#include "base/piecewise_file.h"

namespace chandler::storage {
namespace {

constexpr const char* kAsideName = "/aside";  // file of the journal that holds the name

// In the order in which they move: the database is last, so that its place says whether the rest is done.
constexpr std::array kRestoredNames = {"pki", "encryption.keys", "chandler.db"};

std::string decided_path(const std::string& directory) { return directory + "/restore.ready"; }

Result<void> sync_tree(const std::string& top) {
  std::error_code fault;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(top, fault)) {
    CH_TRY(entry.is_directory() ? sync_directory(entry.path()) : sync_file(entry.path()));
  }
  if (fault) return internal_error(fmt::format("cannot read {}: {}", top, fault.message()));
  return sync_directory(top);
}

Result<void> move_if_there(const std::string& from, const std::string& to) {
  return file_exists(from) ? rename_path(from, to) : Result<void>();
}

Result<void> put_in_place(const std::string& directory, const std::string& aside, const std::string& name) {
  const std::string fresh = decided_path(directory) + "/" + name;
  if (!file_exists(fresh)) return {};  // in place already, or not part of this restore
  // SQLite's log belongs to the old database and must never meet the new one.
  for (const auto* beside : {"-wal", "-shm", ""}) {
    CH_TRY(move_if_there(fmt::format("{}/{}{}", directory, name, beside), fmt::format("{}/{}{}", aside, name, beside)));
  }
  CH_TRY(sync_directory(aside));
  CH_TRY(sync_directory(directory));
  CH_TRY(rename_path(fresh, directory + "/" + name));
  return sync_directory(directory);
}

}  // namespace

std::string restore_staging(const std::string& directory) { return directory + "/restore.tmp"; }

bool restore_is_decided(const std::string& directory) { return file_exists(decided_path(directory)); }

Result<void> decide_restore(const std::string& directory, const std::string& aside) {
  const auto staging = restore_staging(directory);
  CH_TRY(write_file(staging + kAsideName, aside, 0600));
  CH_TRY(sync_tree(staging));
  CH_TRY(rename_path(staging, decided_path(directory)));
  return sync_directory(directory);
}

Result<void> finish_restore(const std::string& directory) {
  if (!restore_is_decided(directory)) return {};
  const auto journal = decided_path(directory);
  // Without its name file the journal has come to its end already.
  if (file_exists(journal + kAsideName)) {
    CH_TRY_LET(name, read_file(journal + kAsideName));
    const std::string aside = directory + "/" + name;
    CH_TRY(make_directories(aside, 0700));
    for (const auto* item : kRestoredNames) CH_TRY(put_in_place(directory, aside, item));
    log::info("a restore was carried to its end", {{"directory", directory}, {"before", aside}});
    std::error_code in_use;
    std::filesystem::remove(aside, in_use);  // goes only if nothing was there before
  }
  std::error_code fault;
  std::filesystem::remove_all(journal, fault);
  if (fault) return internal_error(fmt::format("cannot remove {}: {}", journal, fault.message()));
  return sync_directory(directory);
}

}  // namespace chandler::storage
