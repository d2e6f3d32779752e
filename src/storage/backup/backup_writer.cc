#include "storage/backup/backup_writer.h"

#include <fmt/format.h>

#include "base/time_text.h"

namespace chandler::storage {
namespace {

constexpr size_t kPieceBytes = 256 * 1024;

}  // namespace

BackupWriter::BackupWriter(Out out, std::vector<CarriedFile> files, std::string program, WallTime time)
    : out_(std::move(out)), files_(std::move(files)) {
  header_.program = std::move(program);
  header_.time = rfc3339(time);
  header_.with_keys = !files_.empty();
}

Result<void> BackupWriter::flush() {
  digest_.add(pending_);
  auto written = out_(pending_);
  pending_.clear();
  return written;
}

Result<void> BackupWriter::put(FrameType type, std::string_view payload) {
  pending_ += frame_head(type, payload);
  pending_ += payload;
  return pending_.size() < kPieceBytes ? Result<void>() : flush();
}

Result<void> BackupWriter::begin(const SnapshotHead& head) {
  header_.revision = head.revision;
  header_.store = head.store;
  header_.objects = head.entries;
  pending_ = kBackupMagic;
  CH_TRY(put(FrameType::kHeader, header_.text()));
  for (const auto& file : files_) {
    payload_.clear();
    put_u32(payload_, static_cast<uint32_t>(file.name.size()));
    payload_ += file.name;
    payload_ += file.content;
    CH_TRY(put(FrameType::kFile, payload_));
  }
  return {};
}

Result<void> BackupWriter::entry(Revision revision, std::string_view key, std::string_view value) {
  payload_.clear();
  put_i64(payload_, revision);
  put_u32(payload_, static_cast<uint32_t>(key.size()));
  payload_ += key;
  payload_ += value;
  if (payload_.size() > kMaxEntryFrame) {
    return unavailable(fmt::format("the object {} is too large for a backup; delete it", key));
  }
  ++end_.objects;
  end_.bytes += static_cast<int64_t>(value.size());
  return put(FrameType::kEntry, payload_);
}

Result<void> BackupWriter::finish() {
  CH_TRY(flush());
  end_.sha256 = digest_.hex();
  const auto text = end_.text();
  return out_(frame_head(FrameType::kEnd, text) + text);
}

}  // namespace chandler::storage
