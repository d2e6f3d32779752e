#include "storage/restore.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/count_text.h"
#include "base/file.h"
#include "base/private_file.h"
#include "base/text.h"
#include "base/time_text.h"
#include "storage/backup/backup_reader.h"
#include "storage/embedded/database_builder.h"
#include "storage/embedded/restore_journal.h"
#include "storage/embedded/schema.h"
#include "storage/keyring.h"

namespace chandler::storage {
namespace {

// More than any server writes: in the time between backup and restore, and per second of the backup's age, so that two
// restores of one backup do not give out the same revisions either.
constexpr Revision kBump = 1'000'000'000;
constexpr Revision kBumpPerSecond = 1'000'000;

// What the first reading finds out.
struct Contents {
  BackupHeader header;
  std::map<std::string, std::string, std::less<>> files;
  std::set<std::string, std::less<>> keys;  // ids of those that sealed something
  int64_t sealed = 0;
};

Result<Contents> examine(const std::string& path) {
  Contents contents;
  BackupVisitor visitor;
  visitor.header = [&](const BackupHeader& header) -> Result<void> {
    contents.header = header;
    return {};
  };
  visitor.file = [&](std::string_view name, std::string_view content) -> Result<void> {
    contents.files.emplace(name, content);
    return {};
  };
  visitor.entry = [&](Revision, std::string_view, std::string_view value) -> Result<void> {
    if (!Keyring::is_sealed(value)) return {};
    ++contents.sealed;
    contents.keys.emplace(Keyring::key_of(value));
    return {};
  };
  CH_TRY(read_backup(path, std::move(visitor)));
  return contents;
}

bool is_in_use(const std::string& directory) {
  return file_exists(directory + "/chandler.db") || file_exists(directory + "/encryption.keys") ||
         file_exists(directory + "/pki");
}

// The keys that the restored directory will have, written to the staging folder unless they are there already.
Result<Keyring> place_keys(const RestoreOptions& options, const Contents& contents) {
  const auto staged = restore_staging(options.directory) + "/encryption.keys";
  const auto present = options.directory + "/encryption.keys";
  if (!options.key_file.empty()) {
    CH_TRY_LET(text, read_given_file(options.key_file));
    CH_TRY(write_file(staged, text, 0600));
    return Keyring::open(staged);
  }
  if (const auto carried = contents.files.find("encryption.keys"); carried != contents.files.end()) {
    CH_TRY(write_file(staged, carried->second, 0600));
    return Keyring::open(staged);
  }
  if (file_exists(present)) return Keyring::open(present);
  if (contents.sealed > 0) {
    return bad_request(fmt::format(
        "the backup holds {} sealed with key {}, and no keys: give the encryption.keys of the server it came from with "
        "--keys FILE",
        counted(contents.sealed, "Secret"), join({contents.keys.begin(), contents.keys.end()}, ", ")));
  }
  return Keyring::open(staged);
}

Result<void> check_keys(const Keyring& keyring, const Contents& contents) {
  for (const auto& id : contents.keys) {
    if (keyring.has(id)) continue;
    return bad_request(fmt::format(
        "Secrets in the backup are sealed with key {}, which the key file does not hold; give the encryption.keys of "
        "the server it came from with --keys FILE",
        id));
  }
  return {};
}

Result<void> place_pki(const std::string& staging, const Contents& contents) {
  for (const auto& [name, content] : contents.files) {
    if (!name.starts_with("pki/")) continue;
    CH_TRY(make_directories(staging + "/pki", 0700));
    CH_TRY(write_file(fmt::format("{}/{}", staging, name), content, name.ends_with(".key") ? 0600 : 0644));
  }
  return {};
}

Result<void> build_database(const RestoreOptions& options, const Keyring& keyring, const Contents& contents,
                            Revision floor) {
  EmbeddedOptions embedded;
  embedded.directory = restore_staging(options.directory);
  embedded.vfs = options.vfs;
  CH_TRY_LET(builder, DatabaseBuilder::create(embedded));
  int64_t done = 0;
  BackupVisitor visitor;
  visitor.entry = [&](Revision revision, std::string_view key, std::string_view value) -> Result<void> {
    if (Keyring::is_sealed(value)) CH_TRY(keyring.open_sealed(value, key));
    if (options.progress) options.progress(++done, contents.header.objects);
    return builder.add(revision, key, value);
  };
  CH_TRY(read_backup(options.from, std::move(visitor)));  // once more to its end: it may have changed since
  return builder.finish(floor, contents.header.store);
}

Result<void> gather(const RestoreOptions& options, const Contents& contents, Revision floor) {
  const auto staging = restore_staging(options.directory);
  std::error_code fault;
  std::filesystem::remove_all(staging, fault);  // of a restore that came to no end
  if (fault) return internal_error(fmt::format("cannot remove {}: {}", staging, fault.message()));
  CH_TRY(make_directories(staging, 0700));
  CH_TRY_LET(keyring, place_keys(options, contents));
  CH_TRY(check_keys(keyring, contents));
  CH_TRY(place_pki(staging, contents));
  return build_database(options, keyring, contents, floor);
}

}  // namespace

Revision revision_after_restore(const BackupHeader& header, WallTime now) {
  const auto made = parse_rfc3339(header.time);
  const auto age = made ? std::chrono::duration_cast<std::chrono::seconds>(now - *made).count() : 0;
  return header.revision + kBump + std::max<int64_t>(age, 0) * kBumpPerSecond;
}

Result<RestoreReport> restore_backup(const RestoreOptions& options, const Clock& clock) {
  CH_TRY_LET(contents, examine(options.from));
  CH_TRY_LET(lock, lock_directory(options.directory));
  CH_TRY(finish_restore(options.directory));
  const bool in_use = is_in_use(options.directory);
  if (in_use && !options.force) {
    return bad_request(
        fmt::format("{} is the data directory of a server; choose an empty one, or use --force, which keeps what is "
                    "there in a folder of its own",
                    options.directory));
  }
  RestoreReport report;
  report.header = contents.header;
  report.sealed = contents.sealed;
  report.revision = revision_after_restore(contents.header, clock.now());
  if (auto gathered = gather(options, contents, report.revision); !gathered.ok()) {
    std::error_code ignored;
    std::filesystem::remove_all(restore_staging(options.directory), ignored);
    return gathered.error();
  }
  auto aside = "before-restore-" + rfc3339(clock.now());
  std::replace(aside.begin(), aside.end(), ':', '-');
  CH_TRY(decide_restore(options.directory, aside));
  CH_TRY(finish_restore(options.directory));
  if (file_exists(options.directory + "/" + aside)) report.aside = options.directory + "/" + aside;
  report.has_pki = file_exists(options.directory + "/pki/ca.crt");
  return report;
}

}  // namespace chandler::storage
