#include "storage/embedded/key_rotation.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "storage/embedded/restore_journal.h"
#include "storage/embedded/schema.h"
#include "storage/keyring.h"

namespace chandler::storage {
namespace {

constexpr size_t kSliceRows = 256;
constexpr size_t kSliceBytes = 4 << 20;

// Sealed values begin with "k1:" and the id of their key; ?2 is the newest.
constexpr const char* kForeignRows =
    "FROM log WHERE rev > ?1 AND substr(body, 1, 3) = x'6b313a' AND substr(body, 4, 8) <> CAST(?2 AS BLOB)";

class KeyRotation {
 public:
  KeyRotation(Database database, Keyring keyring, const RotationOptions& options)
      : database_(std::move(database)), keyring_(std::move(keyring)), options_(options) {}

  Result<RotationReport> run() {
    // What leaves a page is overwritten, so that nothing sealed with an old key stays behind in it.
    CH_TRY(database_.execute("PRAGMA secure_delete = ON"));
    RotationReport report;
    CH_TRY_LET(target, interrupted_target());
    report.resumed = target == keyring_.newest();
    if (!report.resumed) CH_TRY(begin());
    report.key = keyring_.newest();
    CH_TRY_LET(all, count_foreign());
    CH_TRY(prepare());
    for (Revision after = 0;;) {
      CH_TRY_LET(last, reseal_slice(after, report.resealed));
      if (last == 0) break;
      after = last;
      if (options_.progress) options_.progress(report.resealed, all);
    }
    CH_TRY_LET(left, count_foreign());
    if (left != 0) return internal_error(fmt::format("{} values still use an older key; run rotate-key again", left));
    // The log holds copies of pages as they were.
    CH_TRY(database_.checkpoint(Database::CheckpointMode::kTruncate));
    if (!options_.keep_old_keys && keyring_.size() > 1) {
      report.removed_keys = static_cast<int64_t>(keyring_.size()) - 1;
      CH_TRY(keyring_.keep_newest(options_.key_file));
    }
    CH_TRY(database_.execute("DELETE FROM meta WHERE name = 'rotating'"));
    CH_TRY(database_.checkpoint(Database::CheckpointMode::kTruncate));
    return report;
  }

 private:
  Result<std::string> interrupted_target() {
    CH_TRY_LET(statement, database_.prepare("SELECT value FROM meta WHERE name = 'rotating'"));
    Query query(database_, statement);
    CH_TRY_LET(found, query.step());
    return found ? std::string(query.text(0)) : std::string();
  }

  Result<void> begin() {
    CH_TRY(keyring_.rotate(options_.key_file));
    CH_TRY_LET(statement, database_.prepare("INSERT OR REPLACE INTO meta VALUES ('rotating', ?1)"));
    return Query(database_, statement).bind(1, keyring_.newest()).run();
  }

  Result<int64_t> count_foreign() {
    CH_TRY_LET(statement, database_.prepare(fmt::format("SELECT count(*) {}", kForeignRows).c_str()));
    Query query(database_, statement);
    CH_TRY_LET(found, query.bind(1, int64_t{0}).bind(2, keyring_.newest()).step());
    return found ? query.integer(0) : 0;
  }

  Result<void> prepare() {
    CH_TRY_LET(rows, database_.prepare(fmt::format("SELECT rev, key, prev, crc, body {} ORDER BY rev LIMIT {}",
                                                   kForeignRows, kSliceRows)
                                           .c_str()));
    foreign_ = std::move(rows);
    CH_TRY_LET(update, database_.prepare("UPDATE log SET body = ?2, crc = ?3 WHERE rev = ?1"));
    update_ = std::move(update);
    return {};
  }

  struct Resealed {
    Revision revision;
    std::optional<std::string> body;
    int64_t crc;
  };

  Result<std::vector<Resealed>> read_slice(Revision after) {
    std::vector<Resealed> slice;
    size_t bytes = 0;
    Query rows(database_, foreign_);
    rows.bind(1, after).bind(2, keyring_.newest());
    while (bytes < kSliceBytes) {
      CH_TRY_LET(more, rows.step());
      if (!more) break;
      const Revision revision = rows.integer(0);
      const auto key = rows.text(1);
      const Revision previous = rows.integer(2);
      const auto body = rows.blob(4);
      if (!body || rows.integer(3) != row_checksum(revision, key, previous, body)) {
        return damaged_row(database_.path(), revision, key);
      }
      CH_TRY_LET(plain, keyring_.open_sealed(*body, key));
      auto sealed = keyring_.seal(plain, key);
      const auto crc = row_checksum(revision, key, previous, sealed);
      bytes += sealed.size();
      slice.push_back({revision, std::move(sealed), crc});
    }
    return slice;
  }

  // Returns the last revision that it looked at; 0: there was none.
  Result<Revision> reseal_slice(Revision after, int64_t& resealed) {
    CH_TRY_LET(slice, read_slice(after));
    if (slice.empty()) return Revision{0};
    CH_TRY(database_.execute("BEGIN IMMEDIATE"));
    for (const auto& row : slice) {
      auto changed = Query(database_, update_).bind(1, row.revision).bind_blob(2, row.body).bind(3, row.crc).run();
      if (changed.ok()) continue;
      database_.rollback();
      return changed.error();
    }
    if (auto committed = database_.execute("COMMIT"); !committed.ok()) {
      database_.rollback();
      return committed.error();
    }
    CH_TRY(database_.checkpoint(Database::CheckpointMode::kPassive));
    resealed += static_cast<int64_t>(slice.size());
    return slice.back().revision;
  }

  Database database_;
  Keyring keyring_;
  const RotationOptions& options_;
  Statement foreign_;
  Statement update_;
};

}  // namespace

Result<RotationReport> rotate_keys(const RotationOptions& options) {
  if (!file_exists(options.key_file) || !file_exists(database_path(options.store))) {
    return bad_request(fmt::format("{} or the database beside it is missing; is {} the data directory of a server?",
                                   options.key_file, options.store.directory));
  }
  CH_TRY_LET(lock, lock_directory(options.store.directory));
  CH_TRY(finish_restore(options.store.directory));
  CH_TRY_LET(database, open_or_create(options.store));
  CH_TRY_LET(keyring, Keyring::open(options.key_file));
  return KeyRotation(std::move(database), std::move(keyring), options).run();
}

}  // namespace chandler::storage
