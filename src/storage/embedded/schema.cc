#include "storage/embedded/schema.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/file.h"
#include "base/ids.h"
#include "base/private_file.h"
#include "storage/embedded/crc32c.h"

namespace chandler::storage {
namespace {

constexpr int64_t kApplicationId = 0x43484e44;  // "CHND", in the file's header: shows in file(1)

// `crc` and `prev` stand before the body, so that reading them alone does not touch the pages of a large body.
constexpr const char* kTables = R"sql(
CREATE TABLE log (rev INTEGER PRIMARY KEY, key TEXT NOT NULL, prev INTEGER NOT NULL, crc INTEGER NOT NULL, body BLOB);
CREATE TABLE cur (key TEXT PRIMARY KEY, rev INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE meta (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('format', 1), ('floor', 0), ('trimmed', 0);
)sql";

Result<void> configure(Database& database, Durability durability) {
  CH_TRY(
      database.execute(durability == Durability::kFull ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL"));
  return database.execute(
      "PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -8192;"
      "PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON");
}

Result<void> create_tables(Database& database) {
  CH_TRY(database.execute("PRAGMA page_size = 8192"));
  CH_TRY(database.execute("BEGIN IMMEDIATE"));
  CH_TRY(database.execute(fmt::format("PRAGMA application_id = {}", kApplicationId).c_str()));
  CH_TRY(database.execute(kTables));
  CH_TRY(database.execute(fmt::format("INSERT INTO meta VALUES ('id', '{}')", new_uuid()).c_str()));
  return database.execute("COMMIT");
}

}  // namespace

Result<void> recognise(Database& database) {
  CH_TRY_LET(application, database.integer("PRAGMA application_id"));
  if (application != kApplicationId) {
    return unavailable(
        fmt::format("{} is a database of another program; move it away or choose another --data-dir", database.path()));
  }
  CH_TRY_LET(format, database.integer("SELECT value FROM meta WHERE name = 'format'"));
  if (format != kFormatVersion) {
    return unavailable(fmt::format(
        "{} has format {}, this program knows format {}; start the version of Chandler that wrote it or choose another "
        "--data-dir",
        database.path(), format, kFormatVersion));
  }
  return {};
}

Result<FileLock> lock_directory(const std::string& directory) {
  CH_TRY(secure_directory(directory, {"lock", "chandler.db", "encryption.keys", "pki"}));
  auto lock = FileLock::acquire(directory + "/lock");
  if (!lock.ok()) {
    return unavailable(fmt::format("the data directory {} is not free: {}, or choose another --data-dir", directory,
                                   lock.error().message));
  }
  return lock;
}

std::string database_path(const EmbeddedOptions& options) { return options.directory + "/chandler.db"; }

Result<Database> connect(const EmbeddedOptions& options) {
  CH_TRY_LET(database, Database::open(database_path(options), options.vfs));
  CH_TRY(configure(database, options.durability));
  return database;
}

Result<Database> open_or_create(const EmbeddedOptions& options) {
  const auto path = database_path(options);
  // Made by us, so that only its owner can read it; SQLite takes an empty file for a new database, and gives the files
  // it puts beside it the same mode.
  if (!file_exists(path)) CH_TRY(write_file(path, "", 0600));
  CH_TRY_LET(database, connect(options));
  CH_TRY_LET(tables, database.integer("SELECT count(*) FROM sqlite_master"));
  if (tables == 0) CH_TRY(create_tables(database));
  CH_TRY(recognise(database));
  // Not before: a database of another program is left as it is.
  for (const auto& file : {path, path + "-wal", path + "-shm"}) CH_TRY(secure_file(file));
  CH_TRY(database.execute("PRAGMA journal_mode = WAL"));  // kept in the file
  return database;
}

Result<Statement> prepare_marks(Database& database) {
  return database.prepare(
      "SELECT ifnull((SELECT max(rev) FROM log), 0), f.value, t.value FROM meta f, meta t "
      "WHERE f.name = 'floor' AND t.name = 'trimmed'");
}

Result<Marks> read_marks(Database& database, Statement& prepared) {
  Query query(database, prepared);
  CH_TRY_LET(row, query.step());
  if (!row) {
    return unavailable(
        fmt::format("the database {} is damaged: its table \"meta\" is incomplete; restore a backup", database.path()));
  }
  Marks marks;
  marks.floor = query.integer(1);
  marks.trimmed = query.integer(2);
  // Only rows up to the floor are ever removed, so the larger of both is the newest revision, even when its own row (a
  // delete) is gone.
  marks.newest = std::max(query.integer(0), marks.floor);
  return marks;
}

Result<std::string> read_store_id(Database& database) {
  CH_TRY_LET(statement, database.prepare("SELECT value FROM meta WHERE name = 'id'"));
  Query query(database, statement);
  CH_TRY_LET(row, query.step());
  return row ? std::string(query.text(0)) : std::string();
}

int64_t row_checksum(Revision revision, std::string_view key, Revision previous, std::optional<std::string_view> body) {
  std::array<char, 25> head{};
  for (size_t i = 0; i < 8; ++i) {
    head[i] = static_cast<char>(revision >> (8 * i));
    head[8 + i] = static_cast<char>(previous >> (8 * i));
    head[16 + i] = static_cast<char>(key.size() >> (8 * i));
  }
  head[24] = body ? 1 : 0;
  const uint32_t crc = crc32c(key, crc32c({head.data(), head.size()}));
  return body ? crc32c(*body, crc) : crc;
}

Error damaged_current(const Database& database) {
  return unavailable(fmt::format(
      "the database {} is damaged: its table \"cur\" does not agree with \"log\"; restore a backup", database.path()));
}

Result<void> check_current(Database& database) {
  CH_TRY_LET(wrong, database.integer("SELECT count(*) FROM cur LEFT JOIN log ON log.rev = cur.rev "
                                     "WHERE log.key IS NOT cur.key OR log.body IS NULL"));
  if (wrong != 0) return damaged_current(database);
  CH_TRY_LET(missing, database.integer("SELECT (SELECT count(*) FROM log WHERE body IS NOT NULL)"
                                       " - (SELECT count(*) FROM log WHERE prev > 0 AND rev > f.value)"
                                       " - (SELECT count(*) FROM cur)"
                                       " FROM meta f, meta t WHERE f.name = 'floor' AND t.name = 'trimmed'"
                                       " AND f.value = t.value UNION ALL SELECT 0 LIMIT 1"));
  return missing == 0 ? Result<void>() : damaged_current(database);
}

Error damaged_row(const std::string& path, Revision revision, std::string_view key) {
  return unavailable(
      fmt::format("the database {} is damaged: the row of revision {} (key \"{}\") is missing or not what was written; "
                  "stop the server and restore a backup",
                  path, revision, key));
}

}  // namespace chandler::storage
