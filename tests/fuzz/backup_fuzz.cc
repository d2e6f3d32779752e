// A backup: never crashes, holds no more than a frame, says the same however it is cut into pieces; and what it says is
// sound can be written again and is the same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "storage/backup/backup_reader.h"
#include "storage/backup/backup_writer.h"

using namespace chandler;

namespace {

struct Seen {
  std::vector<storage::CarriedFile> files;
  std::vector<storage::Entry> entries;
  bool sound = false;
};

Seen read(std::string_view bytes, size_t piece) {
  Seen seen;
  storage::BackupVisitor visitor;
  visitor.file = [&](std::string_view name, std::string_view content) -> Result<void> {
    seen.files.push_back({std::string(name), std::string(content)});
    return {};
  };
  visitor.entry = [&](storage::Revision revision, std::string_view key, std::string_view value) -> Result<void> {
    seen.entries.push_back({std::string(key), std::string(value), revision});
    return {};
  };
  storage::BackupReader reader("fuzz", std::move(visitor));
  for (size_t at = 0; at < bytes.size(); at += piece) {
    if (!reader.feed(bytes.substr(at, piece)).ok()) return seen;
  }
  seen.sound = reader.finish().ok();
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Seen whole = read(bytes, size + 1);
  const Seen pieces = read(bytes, 3);
  if (whole.sound != pieces.sound || whole.entries.size() != pieces.entries.size()) std::abort();
  (void)storage::BackupHeader::parse(bytes);
  (void)storage::BackupEnd::parse(bytes);

  // The input as the content of a sound backup.
  std::string written;
  storage::BackupWriter writer(
      [&](std::string_view piece) -> Result<void> {
        written += piece;
        return {};
      },
      {}, "fuzz", WallTime());
  if (!writer.begin({1, 1, "id"}).ok() || !writer.entry(1, "key", bytes).ok() || !writer.finish().ok()) std::abort();
  const Seen again = read(written, 7);
  if (!again.sound || again.entries.size() != 1 || again.entries[0].value != bytes) std::abort();
  return 0;
}
