#include "storage/embedded/verifier.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "storage/embedded/restore_journal.h"
#include "storage/embedded/sqlite.h"

namespace chandler::storage {
namespace {

constexpr const char* kLogColumns = "SELECT rev, key, prev, crc, body FROM log ";
constexpr int64_t kProgressRows = 10'000;
constexpr size_t kShownKey = 200;  // of a key that may be damaged

class Verifier {
 public:
  Verifier(Database database, const VerifyOptions& options) : database_(std::move(database)), options_(options) {}

  Result<VerifyReport> run(const TakeReadable& take) {
    check_file();
    read_meta();
    read_current();
    read_log();
    compare();
    if (take) CH_TRY(hand_over(take));
    return std::move(report_);
  }

 private:
  struct Row {  // of the log, as far as it is needed later
    Revision revision = 0;
    bool deletes = false;
    bool good = false;
  };

  void fault(std::string text) {
    ++report_.fault_count;
    if (report_.faults.size() < options_.max_faults) report_.faults.push_back(std::move(text));
  }

  void check_file() {
    auto statement = database_.prepare(fmt::format("PRAGMA integrity_check({})", options_.max_faults + 1).c_str());
    if (!statement.ok()) return fault(statement.error().message);
    Query query(database_, *statement);
    for (;;) {
      const auto more = query.step();
      if (!more.ok()) return fault(more.error().message);
      if (!*more) return;
      if (query.text(0) != "ok") fault(fmt::format("the file: {}", query.text(0)));
    }
  }

  void read_meta() {
    auto statement = prepare_marks(database_);
    if (!statement.ok()) return fault(statement.error().message);
    auto marks = read_marks(database_, *statement);
    if (!marks.ok()) return fault(marks.error().message);
    report_.marks = *marks;
    if (marks->trimmed > marks->floor || marks->floor < 0) {
      fault(fmt::format("table meta: trimmed {} is beyond floor {}", marks->trimmed, marks->floor));
    }
    if (auto id = read_store_id(database_); id.ok()) report_.id = *id;
  }

  // Runs the statement twice if need be: forwards, and, when damage ends that, backwards from the other end. Every row
  // is handed over once at most; false from `take` ends a run.
  void scan_both_ways(const std::string& forwards, const std::string& backwards, std::string_view table,
                      const std::function<bool(const Query&)>& take) {
    for (const auto* sql : {&forwards, &backwards}) {
      auto statement = database_.prepare(sql->c_str());
      if (!statement.ok()) {
        fault(fmt::format("table {}: {}", table, statement.error().message));
        continue;
      }
      Query query(database_, *statement);
      for (;;) {
        const auto more = query.step();
        if (!more.ok()) {
          fault(fmt::format("table {}: {}", table, more.error().message));
          break;
        }
        if (!*more) return;
        if (!take(query)) break;
      }
    }
  }

  void read_current() {
    scan_both_ways(
        "SELECT key, rev FROM cur ORDER BY key", "SELECT key, rev FROM cur ORDER BY key DESC", "cur",
        [this](const Query& row) { return current_.emplace(std::string(row.text(0)), row.integer(1)).second; });
  }

  void read_log() {
    Revision last = 0;
    scan_both_ways(fmt::format("{} ORDER BY rev", kLogColumns), fmt::format("{} ORDER BY rev DESC", kLogColumns), "log",
                   [&](const Query& row) {
                     const Revision revision = row.integer(0);
                     if (rows_.contains(revision)) return false;  // the other run was here
                     if (revision > report_.marks.floor && last >= report_.marks.floor && last < revision - 1) {
                       fault(fmt::format("revision {} is missing: the history has a hole", last + 1));
                     }
                     last = std::max(last, revision);
                     look_at(row);
                     return true;
                   });
    // What lies between the two runs: each row that the present state needs is asked for by itself.
    auto statement = database_.prepare(fmt::format("{} WHERE rev = ?1", kLogColumns).c_str());
    if (!statement.ok()) return;
    for (const auto& [key, revision] : current_) {
      if (rows_.contains(revision)) continue;
      Query query(database_, *statement);
      const auto found = query.bind(1, revision).step();
      if (found.ok() && *found) look_at(query);
    }
  }

  void look_at(const Query& row) {
    Row seen;
    seen.revision = row.integer(0);
    const auto key = row.text(1);
    const auto body = row.blob(4);
    seen.deletes = !body;
    ++report_.rows;
    if (options_.progress && report_.rows % kProgressRows == 0) options_.progress(report_.rows);
    const auto wrong = [&]() -> std::optional<std::string> {
      if (row.integer(3) != row_checksum(seen.revision, key, row.integer(2), body)) return "its check sum is wrong";
      if (key.empty()) return "it has no key";
      if (row.integer(2) >= seen.revision) return "it replaces a later revision";
      return body ? fault_of_value(key, *body) : std::nullopt;
    }();
    seen.good = !wrong;
    if (wrong) fault(fmt::format("revision {} ({}): {}", seen.revision, key.substr(0, kShownKey), *wrong));
    if (seen.good) newest_[std::string(key)] = std::max(newest_[std::string(key)], seen.revision);
    rows_.emplace(seen.revision, seen);
  }

  std::optional<std::string> fault_of_value(std::string_view key, std::string_view body) {
    report_.bytes += static_cast<int64_t>(body.size());
    if (!Keyring::is_sealed(body)) return options_.check_value ? options_.check_value(key, body) : std::nullopt;
    ++report_.sealed[std::string(Keyring::key_of(body))];
    if (options_.keyring == nullptr) return "it is sealed, and there is no key file";
    const auto plain = options_.keyring->open_sealed(body, key);
    if (!plain.ok()) return plain.error().message;
    return options_.check_value ? options_.check_value(key, *plain) : std::nullopt;
  }

  void compare() {
    for (const auto& [key, revision] : current_) {
      const auto row = rows_.find(revision);
      if (row == rows_.end()) {
        fault(fmt::format("{}: its revision {} is not in the log", key.substr(0, kShownKey), revision));
      } else if (row->second.good && row->second.deletes) {
        fault(fmt::format("{}: its revision {} is a deletion", key.substr(0, kShownKey), revision));
      }
      const auto newest = newest_.find(key);
      const bool readable = newest != newest_.end() && newest->second == revision && row != rows_.end() &&
                            row->second.good && !row->second.deletes;
      if (!readable) {
        if (row != rows_.end() && row->second.good && newest->second != revision) {
          fault(fmt::format("{}: table cur says revision {}, the log says {}", key.substr(0, kShownKey), revision,
                            newest->second));
        }
        report_.lost.push_back(key);
      } else {
        ++report_.live;
      }
    }
    for (const auto& [key, revision] : newest_) {
      if (current_.contains(key) || rows_.at(revision).deletes) continue;
      fault(fmt::format("{}: revision {} is in the log, but not in table cur", key.substr(0, kShownKey), revision));
    }
    report_.history = report_.rows - report_.live;
  }

  // The newest readable row of each key, where nothing says that there was a later one.
  Result<void> hand_over(const TakeReadable& take) {
    std::map<Revision, std::string_view> saved;
    for (const auto& [key, revision] : newest_) {
      if (rows_.at(revision).deletes) continue;
      const auto current = current_.find(key);
      if (current == current_.end() || current->second == revision) saved.emplace(revision, key);
    }
    auto statement = database_.prepare(fmt::format("{} WHERE rev = ?1", kLogColumns).c_str());
    if (!statement.ok()) return statement.error();
    for (const auto& [revision, key] : saved) {
      Query query(database_, *statement);
      CH_TRY_LET(found, query.bind(1, revision).step());
      const auto body = found ? query.blob(4) : std::nullopt;
      if (!body) return damaged_row(database_.path(), revision, key);
      CH_TRY(take(revision, key, *body));
    }
    return {};
  }

  Database database_;
  const VerifyOptions& options_;
  VerifyReport report_;
  std::map<std::string, Revision, std::less<>> current_;  // table cur
  std::map<Revision, Row> rows_;                          // table log
  std::map<std::string, Revision, std::less<>> newest_;   // by key, of the good rows
};

}  // namespace

Result<VerifyReport> verify_database(const VerifyOptions& options, const TakeReadable& take) {
  EmbeddedOptions embedded;
  embedded.directory = options.directory;
  const auto path = database_path(embedded);
  if (!file_exists(path)) {
    return bad_request(fmt::format("{} is missing; is {} the data directory of a server?", path, options.directory));
  }
  CH_TRY_LET(lock, lock_directory(options.directory));
  if (restore_is_decided(options.directory)) {
    return unavailable(fmt::format(
        "a restore of {} was interrupted: run it again, or start the server, which finishes it", options.directory));
  }
  CH_TRY_LET(database, Database::open_read_only(path));
  CH_TRY(recognise(database));
  return Verifier(std::move(database), options).run(take);
}

}  // namespace chandler::storage
