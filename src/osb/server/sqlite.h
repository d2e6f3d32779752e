// SQLite for brokers: a connection that runs one statement at a time. Statements are prepared each time; brokers do not
// run enough of them for that to matter. Used by one thread at a time. Errors name the file and what happened.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace chandler::osb::server {

struct Blob {
  std::string_view bytes;
};
using SqlValue = std::variant<int64_t, std::string_view, Blob>;

// The row a query stands on; views live until the next one.
class SqlRow {
 public:
  explicit SqlRow(sqlite3_stmt* statement) : statement_(statement) {}
  int64_t integer(int column) const;
  std::string_view text(int column) const;  // of texts and blobs

 private:
  sqlite3_stmt* statement_;
};

class Sqlite {
 public:
  // Creates the file when it is missing.
  static Result<Sqlite> open(const std::string& path);
  ~Sqlite();
  Sqlite(Sqlite&& other) noexcept;
  Sqlite& operator=(Sqlite&& other) noexcept;

  Result<void> execute(const std::string& sql);  // one or more statements, without values
  // One statement; `on_row` is called for each row and may fail, which ends the query.
  Result<void> run(std::string_view sql, const std::vector<SqlValue>& values,
                   const std::function<Result<void>(const SqlRow&)>& on_row = nullptr);
  Result<int64_t> integer(std::string_view sql);  // first column of the first row; 0 when there is none
  // All or nothing of what `work` does.
  Result<void> transact(const std::function<Result<void>()>& work);

 private:
  Sqlite(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  Error error() const;

  sqlite3* handle_ = nullptr;
  std::string path_;
};

}  // namespace chandler::osb::server
