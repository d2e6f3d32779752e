// The limit for durable writes: a bare group-committing SQLite loop. N threads each hand over one write and wait until
// it is committed; one thread commits all that wait in one transaction. WAL, synchronous=FULL, SQLite's own
// checkpoints.
//   bench_sqlite_loop --file FILE --writers N --milliseconds M --bytes B   (of a value)
// The file is made if it is missing, and grows from run to run. Prints: per_second, batch (writes per commit, mean).
#include <fmt/format.h>
#include <sqlite3.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tool.h"

namespace chandler::bench {
namespace {

class Database {
 public:
  explicit Database(const std::string& path) {
    if (sqlite3_open(path.c_str(), &handle_) != SQLITE_OK) fail(fmt::format("{} cannot be opened", path));
    execute("PRAGMA journal_mode = WAL");
    execute("PRAGMA synchronous = FULL");
    execute("CREATE TABLE IF NOT EXISTS log (rev INTEGER PRIMARY KEY, key TEXT NOT NULL, body BLOB)");
    execute("CREATE TABLE IF NOT EXISTS cur (key TEXT PRIMARY KEY, rev INTEGER NOT NULL) WITHOUT ROWID");
    sqlite3_stmt* newest = prepare("SELECT ifnull(max(rev), 0) FROM log");
    sqlite3_step(newest);
    revision_ = sqlite3_column_int64(newest, 0);
    sqlite3_finalize(newest);
    log_ = prepare("INSERT INTO log VALUES (?, ?, ?)");
    cur_ = prepare("INSERT INTO cur VALUES (?, ?)");
  }
  ~Database() {
    sqlite3_finalize(log_);
    sqlite3_finalize(cur_);
    sqlite3_close(handle_);
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const char* sql) { check(sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr)); }

  void insert(const std::string& value) {
    const std::string key = fmt::format("/configmaps/default/item-{}", ++revision_);
    const int key_bytes = static_cast<int>(key.size());
    sqlite3_bind_int64(log_, 1, revision_);
    sqlite3_bind_text(log_, 2, key.data(), key_bytes, SQLITE_STATIC);
    sqlite3_bind_blob(log_, 3, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
    step(log_);
    sqlite3_bind_text(cur_, 1, key.data(), key_bytes, SQLITE_STATIC);
    sqlite3_bind_int64(cur_, 2, revision_);
    step(cur_);
  }

 private:
  void check(int code) const {
    if (code != SQLITE_OK && code != SQLITE_DONE) fail(sqlite3_errmsg(handle_));
  }
  void step(sqlite3_stmt* statement) const {
    check(sqlite3_step(statement));
    sqlite3_reset(statement);
  }
  sqlite3_stmt* prepare(const char* sql) const {
    sqlite3_stmt* statement = nullptr;
    check(sqlite3_prepare_v2(handle_, sql, -1, &statement, nullptr));
    return statement;
  }

  sqlite3* handle_ = nullptr;
  sqlite3_stmt* log_ = nullptr;
  sqlite3_stmt* cur_ = nullptr;
  int64_t revision_ = 0;
};

struct Pending {
  std::string value;
  std::binary_semaphore committed{0};
};

class Queue {
 public:
  void put(Pending* write) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(write);
    if (waiting_.size() == 1) some_.notify_one();
  }
  // All that wait; empty only once closed.
  std::vector<Pending*> take() {
    std::unique_lock lock(mutex_);
    some_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    return std::exchange(waiting_, {});
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    some_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable some_;
  std::vector<Pending*> waiting_;
  bool closed_ = false;
};

void run(const Args& args) {
  Database database(args.text("file"));
  Queue queue;
  const auto begin = Clock::now();
  const auto end = begin + std::chrono::milliseconds(args.number("milliseconds"));
  std::vector<std::thread> writers;
  const int64_t count = args.number("writers");
  const std::string value = filler(static_cast<size_t>(args.number("bytes")));
  std::atomic<int64_t> running = count;
  for (int64_t i = 0; i < count; ++i) {
    writers.emplace_back([&] {
      Pending write;
      while (Clock::now() < end) {
        write.value = value;
        queue.put(&write);
        write.committed.acquire();
      }
      if (--running == 0) queue.close();
    });
  }
  size_t writes = 0;
  size_t commits = 0;
  for (auto batch = queue.take(); !batch.empty(); batch = queue.take()) {
    database.execute("BEGIN IMMEDIATE");
    for (const Pending* write : batch) database.insert(write->value);
    database.execute("COMMIT");
    writes += batch.size();
    ++commits;
    for (Pending* write : batch) write->committed.release();
  }
  const double seconds = seconds_between(begin, Clock::now());
  for (auto& writer : writers) writer.join();
  fmt::print("per_second={:.1f} batch={:.1f}\n", static_cast<double>(writes) / seconds,
             static_cast<double>(writes) / static_cast<double>(commits));
}

}  // namespace
}  // namespace chandler::bench

int main(int argc, char** argv) {
  chandler::bench::run(chandler::bench::Args(argc, argv));
  return 0;
}
