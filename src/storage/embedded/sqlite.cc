#include "storage/embedded/sqlite.h"

#include <sys/resource.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/file.h"
#include "base/text.h"

namespace chandler::storage {
namespace {

constexpr int kRoomBytes = 4096;
constexpr int kRooms = 16;
constexpr int kBusyMilliseconds = 5000;  // an operator's sqlite3 shell may hold a lock for a moment

// Writing more is refused, and the file is as it was.
bool lacks_room(int system_error) { return system_error == ENOSPC || system_error == EDQUOT || system_error == EFBIG; }

std::string full_remedy(int system_error) {
  if (system_error == EDQUOT) {
    return "the disk quota of this process's user is used up; raise it or free some space, writes then succeed again";
  }
  rlimit limit{};
  if (system_error == EFBIG && ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    return fmt::format(
        "this process may write files of {} bytes at most (RLIMIT_FSIZE); raise the limit (prlimit --fsize, "
        "LimitFSIZE= "
        "of the unit), writes then succeed again",
        limit.rlim_cur);
  }
  if (system_error == EFBIG) return "the file system allows no longer file; move the data directory to another one";
  return "the disk is full; free some space, writes then succeed again by themselves";
}

std::string_view remedy(int code) {
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
      return "the file is damaged; stop the server and restore a backup";
    case SQLITE_NOTADB:
      return "this is not a database of Chandler; move the file away or choose another --data-dir";
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_READONLY:
      return "check that the user of this process may write the file and its directory";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another program holds a lock on the file; end it";
    case SQLITE_TOOBIG:
      return "the value is larger than the database can hold";
    case SQLITE_IOERR:
      return "check the disk and the system log, then restart the server";
    default:
      return "restart the server; if it happens again, report it with this message";
  }
}

}  // namespace

Statement::~Statement() { sqlite3_finalize(handle_); }
Statement::Statement(Statement&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

Database::Database(sqlite3* handle, std::string path)
    : handle_(handle), path_(std::move(path)), wal_pages_(std::make_unique<int>(0)) {}
// The "v2" form waits for statements that are finalized after it, so members may be destroyed in any order.
Database::~Database() { sqlite3_close_v2(handle_); }
Database::Database(Database&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      path_(std::move(other.path_)),
      wal_pages_(std::move(other.wal_pages_)) {}
Database& Database::operator=(Database&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(path_, other.path_);
  std::swap(wal_pages_, other.wal_pages_);
  return *this;
}

Result<Database> Database::open(const std::string& path, const std::string& vfs) {
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags, vfs.empty() ? nullptr : vfs.c_str());
  Database database(handle, path);  // SQLite wants the handle closed after a failure too
  if (code != SQLITE_OK) return database.error();
  // Memory for what statements build while they run: rows of usual size then cost no allocation.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_LOOKASIDE, nullptr, kRoomBytes, kRooms);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  // Takes the place of SQLite's own hook, which would run checkpoints inside commits; "PRAGMA wal_autocheckpoint" must
  // not be used, it would take the place of this one.
  sqlite3_wal_hook(
      handle,
      [](void* pages_out, sqlite3*, const char*, int pages) {
        *static_cast<int*>(pages_out) = pages;
        return SQLITE_OK;
      },
      database.wal_pages_.get());
  return database;
}

Result<Database> Database::open_read_only(const std::string& path) {
  sqlite3* handle = nullptr;
  // "Immutable" keeps SQLite from making files; it would also keep it from reading the log.
  const bool has_log = file_exists(path + "-wal");
  const std::string uri = fmt::format("file:{}{}", percent_encode(path), has_log ? "" : "?immutable=1");
  const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(uri.c_str(), &handle, flags, nullptr);
  Database database(handle, path);
  if (code != SQLITE_OK) return database.error();
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  return database;
}

Result<void> Database::execute(const char* sql) {
  if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) return error();
  return {};
}

Result<Statement> Database::prepare(const char* sql) {
  Statement statement;
  if (sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement.handle_, nullptr) != SQLITE_OK) {
    return error();
  }
  return statement;
}

Result<int64_t> Database::integer(const char* sql) {
  CH_TRY_LET(statement, prepare(sql));
  Query query(*this, statement);
  CH_TRY_LET(row, query.step());
  return row ? query.integer(0) : 0;
}

int64_t Database::changed_rows() const { return sqlite3_changes64(handle_); }

bool Database::rollback() {
  // Some failures end the transaction by themselves.
  if (sqlite3_get_autocommit(handle_) == 0) sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
  return sqlite3_get_autocommit(handle_) != 0;
}

Result<Database::Checkpoint> Database::checkpoint(CheckpointMode mode) {
  const int how = mode == CheckpointMode::kPassive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE;
  Checkpoint done;
  const int code = sqlite3_wal_checkpoint_v2(handle_, nullptr, how, &done.wal_pages, &done.copied_pages);
  // Busy: another checkpoint runs, or a reader needs the rest; the next one will copy it.
  if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY) return error();
  return done;
}

// SQLite calls only ENOSPC a full disk.
bool Database::disk_full() const {
  const int code = sqlite3_extended_errcode(handle_);
  return (code & 0xff) == SQLITE_FULL || (code == SQLITE_IOERR_WRITE && lacks_room(system_error().number));
}

bool Database::sync_failed() const {
  const int code = sqlite3_extended_errcode(handle_);
  return code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_DIR_FSYNC;
}

// The files remember the last error of the system themselves. The log comes first: nearly everything is written there.
Database::SystemError Database::system_error() const {
  SystemError found;
  sqlite3_file* log = nullptr;
  if (sqlite3_file_control(handle_, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK && log != nullptr &&
      log->pMethods != nullptr) {
    log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &found.number);
    found.file = path_ + "-wal";
  }
  if (found.number == 0) {
    sqlite3_file_control(handle_, "main", SQLITE_FCNTL_LAST_ERRNO, &found.number);
    found.file = path_;
  }
  return found;
}

Error Database::error() const {
  if (handle_ == nullptr) return unavailable(fmt::format("the database {} failed: out of memory", path_));
  const int code = sqlite3_extended_errcode(handle_);
  const std::string what = sqlite3_errmsg(handle_);
  const auto system = (code & 0xff) == SQLITE_IOERR ? system_error() : SystemError();
  const auto detail = system.number == 0 ? std::string()
                                         : fmt::format("; {}: {}, errno {}", system.file,
                                                       std::generic_category().message(system.number), system.number);
  return unavailable(fmt::format("the database {} failed: {} (SQLite code {}{}): {}", path_, what, code, detail,
                                 disk_full() ? full_remedy(system.number) : std::string(remedy(code))));
}

Query::~Query() {
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
}

Query& Query::bind(int parameter, int64_t value) {
  bound(sqlite3_bind_int64(handle_, parameter, value));
  return *this;
}

Query& Query::bind(int parameter, std::string_view text) {
  // A null pointer would bind NULL, which is not the empty text.
  const char* data = text.empty() ? "" : text.data();
  bound(sqlite3_bind_text64(handle_, parameter, data, text.size(), SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

Query& Query::bind_blob(int parameter, const std::optional<std::string>& bytes) {
  if (bytes) {
    bound(sqlite3_bind_blob64(handle_, parameter, bytes->data(), bytes->size(), SQLITE_STATIC));
  } else {
    bound(sqlite3_bind_null(handle_, parameter));
  }
  return *this;
}

Result<bool> Query::step() {
  if (bind_failed_) return database_.error();
  switch (sqlite3_step(handle_)) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default:
      return database_.error();
  }
}

Result<void> Query::run() {
  CH_TRY(step());
  return {};
}

bool Query::is_null(int column) const { return sqlite3_column_type(handle_, column) == SQLITE_NULL; }
int64_t Query::integer(int column) const { return sqlite3_column_int64(handle_, column); }

std::string_view Query::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  if (data == nullptr) return {};
  return {data, static_cast<size_t>(sqlite3_column_bytes(handle_, column))};
}

std::optional<std::string_view> Query::blob(int column) const {
  if (is_null(column)) return std::nullopt;
  const auto* data = static_cast<const char*>(sqlite3_column_blob(handle_, column));
  if (data == nullptr) return std::string_view();
  return std::string_view(data, static_cast<size_t>(sqlite3_column_bytes(handle_, column)));
}

}  // namespace chandler::storage
