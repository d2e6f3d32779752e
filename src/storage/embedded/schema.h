// The database file: its tables, how it is made, and how it is recognised. docs/formats/database.md is the description
// for people. No state of its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "storage/embedded/embedded_options.h"
#include "storage/embedded/sqlite.h"
#include "storage/store.h"

namespace chandler::storage {

inline constexpr int64_t kFormatVersion = 1;

// Where history begins and how far it has been cleaned up; see LogWriter.
struct Marks {
  Revision newest = 0;
  Revision floor = 0;
  Revision trimmed = 0;
};

std::string database_path(const EmbeddedOptions& options);

// Makes the directory if it is missing and takes it for this process alone.
Result<FileLock> lock_directory(const std::string& directory);

// A connection with our settings to the file, which open_or_create() has seen before.
Result<Database> connect(const EmbeddedOptions& options);
// The first connection: makes the tables in a new file; refuses a file that is not ours or is newer than we are.
Result<Database> open_or_create(const EmbeddedOptions& options);

Result<Statement> prepare_marks(Database& database);
Result<Marks> read_marks(Database& database, Statement& prepared);
Result<std::string> read_store_id(Database& database);
// Refuses a database that is not ours or is newer than we are.
Result<void> recognise(Database& database);

// The check sum of a row of `log`, over all its columns.
int64_t row_checksum(Revision revision, std::string_view key, Revision previous, std::optional<std::string_view> body);
// Rows of `log` carry check sums, those of `cur` do not; but each says what `log` says too: every key it has points to
// a row that puts this key, and it has as many keys as there are puts that nothing has replaced. (While history is
// being trimmed, what replaced a put may be gone already, so the count is compared only when that is finished.) Nothing
// may be committed meanwhile.
Result<void> check_current(Database& database);
// What to answer when the tables do not agree, or a row is not what was written.
Error damaged_current(const Database& database);
Error damaged_row(const std::string& path, Revision revision, std::string_view key);

}  // namespace chandler::storage
