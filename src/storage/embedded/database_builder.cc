#include "storage/embedded/database_builder.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "storage/embedded/schema.h"

namespace chandler::storage {
namespace {

constexpr size_t kBuildBatchBytes = 8 << 20;  // per transaction: bounds the write-ahead log

}  // namespace

Result<DatabaseBuilder> DatabaseBuilder::create(const EmbeddedOptions& options) {
  CH_TRY_LET(database, open_or_create(options));
  DatabaseBuilder builder(std::move(database));
  CH_TRY_LET(append,
             builder.database_.prepare("INSERT INTO log (rev, key, prev, crc, body) VALUES (?1, ?2, 0, ?3, ?4)"));
  builder.append_ = std::move(append);
  CH_TRY_LET(set_current, builder.database_.prepare("INSERT INTO cur (key, rev) VALUES (?1, ?2)"));
  builder.set_current_ = std::move(set_current);
  // Nobody uses the file before it is complete; finish() syncs it as a whole.
  CH_TRY(builder.database_.execute("PRAGMA synchronous = OFF"));
  CH_TRY(builder.database_.execute("BEGIN IMMEDIATE"));
  return builder;
}

Result<void> DatabaseBuilder::next_batch() {
  CH_TRY(database_.execute("COMMIT"));
  CH_TRY(database_.checkpoint(Database::CheckpointMode::kTruncate));
  batch_bytes_ = 0;
  return database_.execute("BEGIN IMMEDIATE");
}

Result<void> DatabaseBuilder::add(Revision revision, std::string_view key, std::string_view value) {
  const std::optional<std::string> body{std::string(value)};
  CH_TRY(Query(database_, append_)
             .bind(1, revision)
             .bind(2, key)
             .bind(3, row_checksum(revision, key, 0, value))
             .bind_blob(4, body)
             .run());
  CH_TRY(Query(database_, set_current_).bind(1, key).bind(2, revision).run());
  batch_bytes_ += key.size() + value.size();
  return batch_bytes_ < kBuildBatchBytes ? Result<void>() : next_batch();
}

Result<void> DatabaseBuilder::finish(Revision floor, const std::string& id) {
  CH_TRY(
      database_.execute(fmt::format("UPDATE meta SET value = {} WHERE name IN ('floor', 'trimmed')", floor).c_str()));
  if (!id.empty()) {
    CH_TRY_LET(set_id, database_.prepare("UPDATE meta SET value = ?1 WHERE name = 'id'"));
    CH_TRY(Query(database_, set_id).bind(1, id).run());
  }
  CH_TRY(database_.execute("COMMIT"));
  CH_TRY(database_.execute("PRAGMA synchronous = FULL"));
  CH_TRY(database_.checkpoint(Database::CheckpointMode::kTruncate));
  return check_current(database_);
}

}  // namespace chandler::storage
