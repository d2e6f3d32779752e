// Makes a new database file from the entries of one state, for a restore or a salvage: each keeps its revision, nothing
// of the history comes along, and the next revision is far ahead, so that whoever remembers a revision of the old
// server is told to list again. The file is complete and on disk when finish() has succeeded. Not thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "storage/embedded/embedded_options.h"
#include "storage/embedded/sqlite.h"
#include "storage/store.h"

namespace chandler::storage {

class DatabaseBuilder {
 public:
  // In options.directory, which exists and holds no database.
  static Result<DatabaseBuilder> create(const EmbeddedOptions& options);

  // Every key and every revision at most once.
  Result<void> add(Revision revision, std::string_view key, std::string_view value);
  // `floor`: the revision that the store will be at, not below any that was added. `id`: empty: a new one.
  Result<void> finish(Revision floor, const std::string& id);

 private:
  explicit DatabaseBuilder(Database database) : database_(std::move(database)) {}
  Result<void> next_batch();

  Database database_;
  Statement append_;
  Statement set_current_;
  size_t batch_bytes_ = 0;
};

}  // namespace chandler::storage
