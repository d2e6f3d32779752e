#include "storage/backup/backup_reader.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/piecewise_file.h"

namespace chandler::storage {
namespace {

constexpr size_t kMaxKeyBytes = 64 * 1024;

// The longest payload of a frame of this type; 0: there is no such type.
size_t longest_payload(char type) {
  switch (static_cast<FrameType>(type)) {
    case FrameType::kHeader:
    case FrameType::kEnd:
      return kMaxTextFrame;
    case FrameType::kFile:
      return kMaxFileFrame;
    case FrameType::kEntry:
      return kMaxEntryFrame;
  }
  return 0;
}

}  // namespace

BackupReader::BackupReader(std::string name, BackupVisitor visitor)
    : name_(std::move(name)), visitor_(std::move(visitor)) {}

Error BackupReader::damaged(std::string_view why) const {
  return bad_request(
      fmt::format("the backup {} cannot be used: at byte {}: {}; use another backup", name_, consumed_, why));
}

Result<void> BackupReader::feed(std::string_view piece) {
  buffer_.append(piece);
  for (;;) {
    CH_TRY_LET(more, take_one());
    if (!more) break;
  }
  buffer_.erase(0, at_);
  at_ = 0;
  return {};
}

Result<bool> BackupReader::take_one() {
  const auto rest = std::string_view(buffer_).substr(at_);
  if (!magic_seen_) {
    const auto begin = rest.substr(0, kBackupMagic.size());
    if (!kBackupMagic.starts_with(begin)) {
      return damaged("it does not begin like a backup that this version of Chandler knows");
    }
    if (begin.size() < kBackupMagic.size()) return false;
    magic_seen_ = true;
    digest_.add(begin);
    at_ += begin.size();
    consumed_ += begin.size();
    return true;
  }
  if (rest.empty()) return false;
  if (end_) return damaged("there is something behind its end");
  const size_t longest = longest_payload(rest[0]);
  if (longest == 0) return damaged("a frame of an unknown type");
  if (rest.size() < kFrameHead) return false;
  const size_t length = get_u32(rest.substr(1));
  if (length > longest) return damaged("a frame longer than it can be");
  if (rest.size() < kFrameHead + length) return false;
  const auto payload = rest.substr(kFrameHead, length);
  if (get_u32(rest.substr(5)) != frame_checksum(rest.substr(0, 5), payload)) {
    return damaged("a check sum is wrong, its bytes have changed");
  }
  const auto type = static_cast<FrameType>(rest[0]);
  CH_TRY(take_frame(type, payload));
  if (type != FrameType::kEnd) digest_.add(rest.substr(0, kFrameHead + length));
  at_ += kFrameHead + length;
  consumed_ += kFrameHead + length;
  return true;
}

Result<void> BackupReader::take_frame(FrameType type, std::string_view payload) {
  if ((type == FrameType::kHeader) == header_.has_value()) return damaged("its header is missing or repeated");
  switch (type) {
    case FrameType::kHeader:
      return take_header(payload);
    case FrameType::kFile:
      return take_file(payload);
    case FrameType::kEntry:
      return take_entry(payload);
    case FrameType::kEnd:
      break;
  }
  return take_end(payload);
}

Result<void> BackupReader::take_header(std::string_view payload) {
  auto parsed = BackupHeader::parse(payload);
  if (!parsed.ok()) return damaged(parsed.error().message);
  header_ = std::move(parsed).value();
  return visitor_.header ? visitor_.header(*header_) : Result<void>();
}

Result<void> BackupReader::take_file(std::string_view payload) {
  const bool cut = payload.size() < 4 || get_u32(payload) > payload.size() - 4;
  if (cut || seen_.objects > 0) return damaged("a file in it is not where it belongs");
  const size_t length = get_u32(payload);
  const auto name = payload.substr(4, length);
  if (std::find(kBackupFiles.begin(), kBackupFiles.end(), name) == kBackupFiles.end()) {
    return damaged("it carries a file that does not belong into a backup");
  }
  return visitor_.file ? visitor_.file(name, payload.substr(4 + length)) : Result<void>();
}

Result<void> BackupReader::take_entry(std::string_view payload) {
  constexpr size_t kFixed = 8 + 4;
  const size_t length = payload.size() < kFixed ? 0 : get_u32(payload.substr(8));
  if (length == 0 || length > kMaxKeyBytes || length > payload.size() - kFixed) return damaged("an object has no key");
  const Revision revision = get_i64(payload);
  if (revision <= last_ || revision > header_->revision) return damaged("the objects are not in order");
  last_ = revision;
  const auto value = payload.substr(kFixed + length);
  ++seen_.objects;
  seen_.bytes += static_cast<int64_t>(value.size());
  return visitor_.entry ? visitor_.entry(revision, payload.substr(kFixed, length), value) : Result<void>();
}

Result<void> BackupReader::take_end(std::string_view payload) {
  auto parsed = BackupEnd::parse(payload);
  if (!parsed.ok()) return damaged(parsed.error().message);
  if (parsed->objects != seen_.objects || parsed->bytes != seen_.bytes || header_->objects != seen_.objects) {
    return damaged(fmt::format("it holds {} objects and should hold {}", seen_.objects, header_->objects));
  }
  if (digest_.hex() != parsed->sha256) return damaged("its SHA-256 is wrong, its bytes have changed");
  end_ = std::move(parsed).value();
  return {};
}

Result<BackupEnd> BackupReader::finish() {
  if (!end_) return damaged("it ends too early");
  return *end_;
}

Result<BackupEnd> read_backup(const std::string& path, BackupVisitor visitor) {
  BackupReader reader(path, std::move(visitor));
  CH_TRY(read_pieces(path, [&](std::string_view piece) { return reader.feed(piece); }));
  return reader.finish();
}

}  // namespace chandler::storage
