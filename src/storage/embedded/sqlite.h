// SQLite behind three small types: Database (a connection), Statement (prepared once), Query (one run of a statement).
// Only sqlite.cc and the file systems (joining_vfs.cc, the tests' faulty one) know the C library. A Database with its
// statements is used by one thread at a time. Failures become Errors that name the file, what happened and what the
// operator can do.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace chandler::storage {

class Database;

class Statement {
 public:
  Statement() = default;
  ~Statement();
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;

 private:
  friend class Database;
  friend class Query;
  sqlite3_stmt* handle_ = nullptr;
};

class Database {
 public:
  // Creates the file when it is missing. `vfs`: SQLite's name of the file system to use; empty: the default.
  static Result<Database> open(const std::string& path, const std::string& vfs);
  // Only to read, and nothing in the directory changes, unless a write-ahead log is there: SQLite then makes its index.
  // Nobody may write meanwhile.
  static Result<Database> open_read_only(const std::string& path);
  ~Database();
  Database(Database&& other) noexcept;
  Database& operator=(Database&& other) noexcept;

  const std::string& path() const { return path_; }

  Result<void> execute(const char* sql);
  Result<Statement> prepare(const char* sql);
  Result<int64_t> integer(const char* sql);  // the first column of the first row; 0 when there is none

  int64_t changed_rows() const;  // by the last INSERT, UPDATE or DELETE

  // Ends the open transaction, if there is one, without effect. False: even that failed.
  bool rollback();

  struct Checkpoint {
    int wal_pages = 0;  // -1: another connection is at it, nothing was done
    int copied_pages = 0;
  };
  enum class CheckpointMode { kPassive, kTruncate };
  // Copies pages from the write-ahead log into the database file. Passive: what can be copied without waiting for
  // anyone.
  Result<Checkpoint> checkpoint(CheckpointMode mode);
  int wal_pages() const { return *wal_pages_; }  // after this connection's last commit

  // The last call failed because a file could not grow: no space, a quota, or a limit on the length of files. Of a
  // commit then nothing can come back, as the page that makes it valid is written last.
  bool disk_full() const;
  bool sync_failed() const;  // the last call failed because the system could not bring a file to the disk
  Error error() const;       // what the last call failed with

 private:
  // The system's error behind one of SQLite, and the file that it hit; 0: not known.
  struct SystemError {
    int number = 0;
    std::string file;
  };

  Database(sqlite3* handle, std::string path);
  SystemError system_error() const;

  sqlite3* handle_ = nullptr;
  std::string path_;
  std::unique_ptr<int> wal_pages_;  // at a fixed address: SQLite's hook writes it
};

// One run. Bound texts must outlive it. Parameters count from 1, columns from 0; column views live until the next step.
class Query {
 public:
  Query(Database& database, Statement& statement) : database_(database), handle_(statement.handle_) {}
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  Query& bind(int parameter, int64_t value);
  Query& bind(int parameter, std::string_view text);
  Query& bind_blob(int parameter, const std::optional<std::string>& bytes);  // nullopt: NULL

  Result<bool> step();  // true: a row is there
  Result<void> run();   // for statements without rows

  bool is_null(int column) const;
  int64_t integer(int column) const;
  std::string_view text(int column) const;
  std::optional<std::string_view> blob(int column) const;  // nullopt: NULL

 private:
  void bound(int code) { bind_failed_ = bind_failed_ || code != 0; }

  Database& database_;
  sqlite3_stmt* handle_;
  bool bind_failed_ = false;  // a value too large for SQLite: the statement must not run without it
};

}  // namespace chandler::storage
