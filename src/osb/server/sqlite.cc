#include "osb/server/sqlite.h"

#include <memory>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

namespace chandler::osb::server {
namespace {

constexpr int kBusyMilliseconds = 5000;  // another program may hold a lock for a moment

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

int bind(sqlite3_stmt* statement, int at, const SqlValue& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return sqlite3_bind_int64(statement, at, *number);
  // A null pointer would bind NULL, which is not the empty text.
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    return sqlite3_bind_text64(statement, at, text->empty() ? "" : text->data(), text->size(), SQLITE_STATIC,
                               SQLITE_UTF8);
  }
  const auto bytes = std::get<Blob>(value).bytes;
  return sqlite3_bind_blob64(statement, at, bytes.empty() ? "" : bytes.data(), bytes.size(), SQLITE_STATIC);
}

std::string_view remedy(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return "free some space, then try again";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return "the file is damaged or no database; restore a backup";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another program holds a lock on the file; end it";
    default:
      return "check the disk and that this user may write the file and its directory";
  }
}

}  // namespace

int64_t SqlRow::integer(int column) const { return sqlite3_column_int64(statement_, column); }

std::string_view SqlRow::text(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  if (data == nullptr) return {};
  return {data, static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
}

Sqlite::~Sqlite() { sqlite3_close_v2(handle_); }
Sqlite::Sqlite(Sqlite&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), path_(std::move(other.path_)) {}
Sqlite& Sqlite::operator=(Sqlite&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(path_, other.path_);
  return *this;
}

Result<Sqlite> Sqlite::open(const std::string& path) {
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  Sqlite database(handle, path);  // SQLite wants the handle closed after a failure too
  if (code != SQLITE_OK) return database.error();
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  return database;
}

Result<void> Sqlite::execute(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return error();
  return {};
}

Result<void> Sqlite::run(std::string_view sql, const std::vector<SqlValue>& values,
                         const std::function<Result<void>(const SqlRow&)>& on_row) {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(handle_, sql.data(), static_cast<int>(sql.size()), &raw, nullptr) != SQLITE_OK) return error();
  const Statement statement(raw);
  for (size_t i = 0; i < values.size(); ++i) {
    if (bind(raw, static_cast<int>(i) + 1, values[i]) != SQLITE_OK) return error();
  }
  for (;;) {
    const int code = sqlite3_step(raw);
    if (code == SQLITE_DONE) return {};
    if (code != SQLITE_ROW) return error();
    if (on_row) CH_TRY(on_row(SqlRow(raw)));
  }
}

Result<int64_t> Sqlite::integer(std::string_view sql) {
  int64_t value = 0;
  CH_TRY(run(sql, {}, [&](const SqlRow& row) -> Result<void> {
    value = row.integer(0);
    return {};
  }));
  return value;
}

Result<void> Sqlite::transact(const std::function<Result<void>()>& work) {
  CH_TRY(execute("BEGIN IMMEDIATE"));
  auto done = work();
  if (done.ok()) done = execute("COMMIT");
  // Some failures end the transaction by themselves.
  if (!done.ok() && sqlite3_get_autocommit(handle_) == 0) {
    sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  return done;
}

Error Sqlite::error() const {
  const int code = handle_ == nullptr ? SQLITE_NOMEM : sqlite3_extended_errcode(handle_);
  const char* what = handle_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle_);
  return unavailable(fmt::format("the database {} failed: {} (SQLite code {}): {}", path_, what, code, remedy(code)));
}

}  // namespace chandler::osb::server
