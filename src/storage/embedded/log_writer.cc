#include "storage/embedded/log_writer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"

namespace chandler::storage {
namespace {

constexpr size_t kIdleTrimRows = 256;
constexpr size_t kTrimRowsPerWrite = 2;

}  // namespace

Result<std::unique_ptr<LogWriter>> LogWriter::open(Database database, Checkpointer& checkpointer, StoreFailure& failure,
                                                   metrics::Histogram& commit_seconds) {
  std::unique_ptr<LogWriter> writer(new LogWriter(std::move(database), checkpointer, failure, commit_seconds));
  CH_TRY(writer->prepare());
  return writer;
}

Result<void> LogWriter::prepare() {
  const auto set = [this](Statement& statement, const char* sql) -> Result<void> {
    CH_TRY_LET(prepared, database_.prepare(sql));
    statement = std::move(prepared);
    return {};
  };
  CH_TRY(set(begin_, "BEGIN IMMEDIATE"));
  CH_TRY(set(commit_, "COMMIT"));
  CH_TRY(set(current_, "SELECT rev FROM cur WHERE key = ?1"));
  CH_TRY(set(append_, "INSERT INTO log (rev, key, prev, crc, body) VALUES (?1, ?2, ?3, ?4, ?5)"));
  CH_TRY(set(add_current_, "INSERT INTO cur (key, rev) VALUES (?1, ?2) ON CONFLICT DO NOTHING"));
  CH_TRY(set(move_current_, "UPDATE cur SET rev = ?2 WHERE key = ?1 AND rev = ?3"));
  CH_TRY(set(set_current_, "INSERT OR REPLACE INTO cur (key, rev) VALUES (?1, ?2)"));
  CH_TRY(set(remove_current_, "DELETE FROM cur WHERE key = ?1"));
  CH_TRY(set(set_mark_, "UPDATE meta SET value = ?2 WHERE name = ?1"));
  CH_TRY(set(untrimmed_, "SELECT rev, prev, body IS NULL FROM log WHERE rev > ?1 AND rev <= ?2 ORDER BY rev LIMIT ?3"));
  CH_TRY(set(remove_row_, "DELETE FROM log WHERE rev = ?1"));
  CH_TRY_LET(read, prepare_marks(database_));
  CH_TRY_LET(marks, read_marks(database_, read));
  marks_ = marks;
  floor_ = marks.floor;
  return {};
}

void LogWriter::note(bool works, std::string_view error) {
  if (works == std::exchange(works_, works)) return;
  if (works) {
    log::info("the store can write again");
  } else {
    log::error("the store cannot write", {{"error", error}});
  }
}

Result<void> LogWriter::begin() {
  if (failure_.happened()) return unavailable(failure_.text());
  auto begun = Query(database_, begin_).run();
  if (!begun.ok()) note(false, begun.error().message);
  return begun;
}

Result<void> LogWriter::end() {
  const auto started = std::chrono::steady_clock::now();
  const auto done = Query(database_, commit_).run();
  commit_seconds_.observe(std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count());
  if (done.ok()) {
    note(true, {});
    checkpointer_.wrote(database_.wal_pages());
    return {};
  }
  // A full disk refuses the pages before the one that makes the transaction valid, so nothing of it can come back.
  const bool known = database_.disk_full();
  auto error = give_up(done.error());
  if (known) return error;
  failure_.report(error);
  return unavailable(
      fmt::format("whether the write was stored is not known until the server has been restarted: {}", error.message));
}

Error LogWriter::give_up(Error because) {
  note(false, because.message);
  if (!database_.rollback()) failure_.report(database_.error());
  return because;
}

Result<std::vector<WriteOutcome>> LogWriter::apply(std::span<const Write> batch) {
  if (checkpointer_.restart_due()) {
    // A failure is no reason to refuse the batch: the log only grows a little longer, and the next one will tell.
    // Unless it was the sync: the system may have dropped what it could not write, and would call the next sync a
    // success.
    const auto rest = database_.checkpoint(Database::CheckpointMode::kPassive);
    if (!rest.ok() && database_.sync_failed()) failure_.report(rest.error());
    if (!rest.ok() || rest->wal_pages >= 0) checkpointer_.restart_done();  // else it is tried again with the next batch
  }
  CH_TRY(begin());
  Marks marks = marks_;
  auto outcomes = write_all(batch, marks);
  if (!outcomes.ok()) return give_up(std::move(outcomes).error());
  CH_TRY(end());
  marks_ = marks;
  return outcomes;
}

Result<std::vector<WriteOutcome>> LogWriter::write_all(std::span<const Write> batch, Marks& marks) {
  std::vector<WriteOutcome> outcomes;
  outcomes.reserve(batch.size());
  for (const auto& write : batch) {
    CH_TRY_LET(outcome, write_one(write, marks.newest));
    outcomes.push_back(outcome);
  }
  const auto written = static_cast<size_t>(marks.newest - marks_.newest);
  if (written > 0 && trim_wanted()) CH_TRY(trim(written * kTrimRowsPerWrite, marks));
  return outcomes;
}

Result<Revision> LogWriter::current(std::string_view key) {
  Query query(database_, current_);
  CH_TRY_LET(found, query.bind(1, key).step());
  return found ? query.integer(0) : Revision{0};
}

Result<bool> LogWriter::advance(const Write& write, Revision revision) {
  const bool is_new = write.expected == Write::kAbsent;
  Query query(database_, is_new ? add_current_ : move_current_);
  query.bind(1, write.key).bind(2, revision);
  if (!is_new) query.bind(3, write.expected);
  CH_TRY(query.run());
  return database_.changed_rows() == 1;
}

Result<void> LogWriter::append(const Write& write, Revision revision, Revision previous) {
  return Query(database_, append_)
      .bind(1, revision)
      .bind(2, write.key)
      .bind(3, previous)
      .bind(4, row_checksum(revision, write.key, previous, write.value))
      .bind_blob(5, write.value)
      .run();
}

Result<WriteOutcome> LogWriter::write_one(const Write& write, Revision& newest) {
  const Revision revision = newest + 1;
  if (write.value && write.expected != Write::kAny) {
    // Nearly every write: the check and the change are one search in `cur`.
    CH_TRY_LET(advanced, advance(write, revision));
    if (!advanced) {
      CH_TRY_LET(there, current(write.key));
      return WriteOutcome{false, there};
    }
    CH_TRY(append(write, revision, write.expected));
    newest = revision;
    return WriteOutcome{true, revision};
  }

  CH_TRY_LET(there, current(write.key));
  if (write.expected != Write::kAny && write.expected != there) return WriteOutcome{false, there};
  if (!write.value && there == 0) return WriteOutcome{false, 0};
  CH_TRY(append(write, revision, there));
  if (write.value) {
    CH_TRY(Query(database_, set_current_).bind(1, write.key).bind(2, revision).run());
  } else {
    CH_TRY(Query(database_, remove_current_).bind(1, write.key).run());
  }
  newest = revision;
  return WriteOutcome{true, revision};
}

Result<void> LogWriter::set_mark(std::string_view name, Revision value) {
  return Query(database_, set_mark_).bind(1, name).bind(2, value).run();
}

Result<bool> LogWriter::raise_floor(Revision floor) {
  floor = std::min(floor, marks_.newest);
  if (floor <= marks_.floor) return false;
  CH_TRY(begin());
  if (auto set = set_mark("floor", floor); !set.ok()) return give_up(std::move(set).error());
  CH_TRY(end());
  marks_.floor = floor;
  floor_.store(floor, std::memory_order_release);
  return true;
}

Result<void> LogWriter::trim(size_t rows, Marks& marks) {
  std::vector<Revision> superfluous;
  size_t seen = 0;
  Revision last = marks.floor;
  {
    Query query(database_, untrimmed_);
    query.bind(1, marks.trimmed).bind(2, marks.floor).bind(3, static_cast<int64_t>(rows));
    for (;; ++seen) {
      CH_TRY_LET(more, query.step());
      if (!more) break;
      const Revision revision = query.integer(0);
      const Revision replaced = query.integer(1);
      if (replaced != 0) superfluous.push_back(replaced);
      if (query.integer(2) != 0) superfluous.push_back(revision);
      if (seen + 1 == rows) last = revision;
    }
  }
  for (const Revision revision : superfluous) CH_TRY(Query(database_, remove_row_).bind(1, revision).run());
  CH_TRY(set_mark("trimmed", last));
  marks.trimmed = last;
  return {};
}

bool LogWriter::work_idle() {
  if (!trim_wanted() || !begin().ok()) return false;
  Marks marks = marks_;
  auto trimmed = trim(kIdleTrimRows, marks);
  if (!trimmed.ok()) {
    (void)give_up(std::move(trimmed).error());
    return false;  // asked again after the next write
  }
  if (!end().ok()) return false;
  marks_ = marks;
  return trim_wanted();
}

void LogWriter::finish() {
  if (failure_.happened()) return;
  const auto done = database_.checkpoint(Database::CheckpointMode::kTruncate);
  if (!done.ok())
    log::warn("last checkpoint failed; the next start makes up for it", {{"error", done.error().message}});
}

}  // namespace chandler::storage
