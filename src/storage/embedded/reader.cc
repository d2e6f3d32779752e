#include "storage/embedded/reader.h"

#include <algorithm>
#include <utility>

#include "storage/revision_window.h"

namespace chandler::storage {
namespace {

constexpr size_t kIdleReaders = 4;
constexpr size_t kReplayRows = 512;
constexpr size_t kReplayBytes = 1 << 20;

// Ends a read transaction, however the function is left.
struct Snapshot {
  Database& database;
  ~Snapshot() { database.rollback(); }
};

// Columns of every statement that reads rows of `log`.
enum LogColumn { kRev, kKey, kPrev, kCrc, kBody };

bool intact(const Query& row) {
  return row.integer(kCrc) == row_checksum(row.integer(kRev), row.text(kKey), row.integer(kPrev), row.blob(kBody));
}

}  // namespace

Result<std::unique_ptr<Reader>> Reader::open(const EmbeddedOptions& options) {
  CH_TRY_LET(database, connect(options));
  std::unique_ptr<Reader> reader(new Reader(std::move(database)));
  CH_TRY(reader->prepare());
  return reader;
}

Result<void> Reader::prepare() {
  const auto set = [this](Statement& statement, const char* sql) -> Result<void> {
    CH_TRY_LET(prepared, database_.prepare(sql));
    statement = std::move(prepared);
    return {};
  };
  CH_TRY_LET(marks, prepare_marks(database_));
  marks_ = std::move(marks);
  CH_TRY(set(row_, "SELECT rev, key, prev, crc, body FROM log WHERE rev = ?1"));
  CH_TRY(set(current_, "SELECT rev FROM cur WHERE key = ?1"));
  CH_TRY(set(next_change_, "SELECT prev FROM log WHERE rev > ?2 AND key = ?1 ORDER BY rev LIMIT 1"));
  // Two streams in key order, merged: what is still current, and what was replaced since. Bodies are fetched per row,
  // so that the sorter never sees them.
  CH_TRY(set(range_,
             "SELECT key, rev FROM cur WHERE key >= ?1 AND rev <= ?2 "
             "UNION ALL SELECT key, prev FROM log WHERE rev > ?2 AND prev BETWEEN 1 AND ?2 AND key >= ?1 "
             "ORDER BY 1"));
  CH_TRY(set(rows_after_, "SELECT rev, key, prev, crc, body FROM log WHERE rev > ?1 ORDER BY rev"));
  // CROSS JOIN: the log is the outer loop, so that its pages are read once and in order.
  CH_TRY(set(live_rows_,
             "SELECT log.rev, log.key, log.prev, log.crc, log.body FROM log "
             "CROSS JOIN cur ON cur.key = log.key AND cur.rev = log.rev ORDER BY log.rev"));
  return set(untrimmed_, "SELECT rev, prev, body IS NULL FROM log WHERE rev > ?1 AND rev <= ?2");
}

Result<Entry> Reader::entry(std::string_view key, Revision revision) {
  Query row(database_, row_);
  CH_TRY_LET(found, row.bind(1, revision).step());
  if (!found || row.text(kKey) != key || !row.blob(kBody) || !intact(row)) {
    return damaged_row(database_.path(), revision, key);
  }
  return Entry{std::string(key), std::string(*row.blob(kBody)), revision};
}

Result<Revision> Reader::revision_of(std::string_view key, Revision at) {
  Revision current = 0;
  {
    Query query(database_, current_);
    CH_TRY_LET(found, query.bind(1, key).step());
    if (found) current = query.integer(0);
  }
  if (current != 0 && current <= at) return current;
  Query change(database_, next_change_);
  CH_TRY_LET(changed, change.bind(1, key).bind(2, at).step());
  return changed ? change.integer(0) : 0;
}

Result<std::optional<Entry>> Reader::get(std::string_view key, Revision at) {
  CH_TRY(database_.execute("BEGIN"));
  const Snapshot snapshot{database_};
  CH_TRY_LET(marks, read_marks(database_, marks_));
  CH_TRY_LET(shown, readable_revision(at, marks.floor, marks.newest));
  CH_TRY_LET(revision, revision_of(key, shown));
  if (revision == 0) return std::optional<Entry>();
  CH_TRY_LET(found, entry(key, revision));
  return std::optional<Entry>(std::move(found));
}

Result<Revision> Reader::range(std::string_view prefix, std::string_view start, Revision at,
                               const std::function<bool(const Entry&)>& visit) {
  CH_TRY(database_.execute("BEGIN"));
  const Snapshot snapshot{database_};
  CH_TRY_LET(marks, read_marks(database_, marks_));
  CH_TRY_LET(shown, readable_revision(at, marks.floor, marks.newest));
  Query keys(database_, range_);
  keys.bind(1, std::max(prefix, start)).bind(2, shown);
  for (;;) {
    CH_TRY_LET(more, keys.step());
    if (!more || !keys.text(0).starts_with(prefix)) return shown;
    CH_TRY_LET(found, entry(keys.text(0), keys.integer(1)));
    if (!visit(found)) return shown;
  }
}

Result<void> Reader::snapshot(SnapshotSink& sink) {
  CH_TRY(database_.execute("BEGIN"));
  const Snapshot snapshot{database_};
  CH_TRY_LET(marks, read_marks(database_, marks_));
  CH_TRY_LET(entries, database_.integer("SELECT count(*) FROM cur"));
  CH_TRY_LET(id, read_store_id(database_));
  CH_TRY(sink.begin({marks.newest, entries, id}));
  Query rows(database_, live_rows_);
  for (int64_t told = 0;; ++told) {
    CH_TRY_LET(more, rows.step());
    if (!more) return told == entries ? Result<void>() : damaged_current(database_);
    const auto body = rows.blob(kBody);
    if (!body || !intact(rows)) return damaged_row(database_.path(), rows.integer(kRev), rows.text(kKey));
    CH_TRY(sink.entry(rows.integer(kRev), rows.text(kKey), *body));
  }
}

Result<std::vector<Revision>> Reader::dead_at_floor(const Marks& marks) {
  std::vector<Revision> dead;
  Query rows(database_, untrimmed_);
  rows.bind(1, marks.trimmed).bind(2, marks.floor);
  for (;;) {
    CH_TRY_LET(more, rows.step());
    if (!more) break;
    if (rows.integer(1) != 0) dead.push_back(rows.integer(1));
    if (rows.integer(2) != 0) dead.push_back(rows.integer(0));
  }
  std::sort(dead.begin(), dead.end());
  return dead;
}

Result<Marks> Reader::replay(ChangeSink& sink, const std::function<void(const Entry&)>& state) {
  CH_TRY(database_.execute("BEGIN"));
  const Snapshot snapshot{database_};
  CH_TRY_LET(marks, read_marks(database_, marks_));
  CH_TRY_LET(dead, dead_at_floor(marks));
  Query rows(database_, rows_after_);
  rows.bind(1, int64_t{0});
  for (;;) {
    CH_TRY_LET(more, rows.step());
    if (!more) return marks;
    const Revision revision = rows.integer(kRev);
    if (revision > marks.floor) break;
    if (!intact(rows)) return damaged_row(database_.path(), revision, rows.text(kKey));
    const auto body = rows.blob(kBody);
    if (!body || std::binary_search(dead.begin(), dead.end(), revision)) continue;
    state({std::string(rows.text(kKey)), std::string(*body), revision});
  }
  CH_TRY(tell_changes(rows, marks.floor, sink));
  return marks;
}

Result<void> Reader::replay_after(Revision after, ChangeSink& sink) {
  Query rows(database_, rows_after_);
  CH_TRY_LET(any, rows.bind(1, after).step());
  if (!any) return {};
  return tell_changes(rows, after, sink);
}

Result<void> Reader::tell_changes(Query& rows, Revision last, ChangeSink& sink) {
  struct Row {
    Revision revision;
    std::string key;
    std::optional<std::string> value;
  };
  std::vector<Row> batch;
  size_t bytes = 0;
  const auto hand_over = [&] {
    std::vector<Change> changes;
    changes.reserve(batch.size());
    for (const auto& row : batch) changes.push_back({row.revision, row.key, row.value});
    sink.on_changes(changes);
    batch.clear();
    bytes = 0;
  };
  for (;;) {
    // After the floor every revision has its row; a hole is as bad as a wrong check sum.
    const Revision revision = rows.integer(kRev);
    if (revision != ++last || !intact(rows)) return damaged_row(database_.path(), last, rows.text(kKey));
    const auto body = rows.blob(kBody);
    batch.push_back({revision, std::string(rows.text(kKey)), std::nullopt});
    if (body) batch.back().value.emplace(*body);
    bytes += batch.back().key.size() + (body ? body->size() : 0);
    if (batch.size() >= kReplayRows || bytes >= kReplayBytes) hand_over();
    CH_TRY_LET(more, rows.step());
    if (!more) break;
  }
  if (!batch.empty()) hand_over();
  return {};
}

Result<ReaderPool::Lease> ReaderPool::take() {
  {
    MutexLock lock(mutex_);
    if (!idle_.empty()) {
      auto reader = std::move(idle_.back());
      idle_.pop_back();
      return Lease(*this, std::move(reader));
    }
  }
  CH_TRY_LET(reader, Reader::open(options_));
  return Lease(*this, std::move(reader));
}

void ReaderPool::give_back(std::unique_ptr<Reader> reader) {
  MutexLock lock(mutex_);
  if (idle_.size() < kIdleReaders) idle_.push_back(std::move(reader));
}

}  // namespace chandler::storage
