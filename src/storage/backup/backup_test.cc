// Backups in memory: what was written is read again, and nothing that is cut, changed or put together wrongly passes.
#include <map>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/backup/backup_reader.h"
#include "storage/backup/backup_writer.h"
#include "storage/memory/memory_store.h"

namespace chandler::storage {
namespace {

using ::testing::HasSubstr;

struct BackupContents {
  BackupHeader header;
  std::map<std::string, std::string> files;
  std::map<std::string, Entry> entries;
};

BackupVisitor recording(BackupContents& told) {
  BackupVisitor visitor;
  visitor.header = [&](const BackupHeader& header) -> Result<void> {
    told.header = header;
    return {};
  };
  visitor.file = [&](std::string_view name, std::string_view content) -> Result<void> {
    told.files.emplace(name, content);
    return {};
  };
  visitor.entry = [&](Revision revision, std::string_view key, std::string_view value) -> Result<void> {
    told.entries[std::string(key)] = {std::string(key), std::string(value), revision};
    return {};
  };
  return visitor;
}

std::string backup_of(Store& store, std::vector<CarriedFile> files = {}) {
  std::string bytes;
  BackupWriter writer(
      [&](std::string_view piece) -> Result<void> {
        bytes += piece;
        return {};
      },
      std::move(files), "1.2.3", WallTime(std::chrono::seconds(1'700'000'000)));
  EXPECT_TRUE(store.snapshot(writer).ok());
  EXPECT_TRUE(writer.finish().ok());
  return bytes;
}

Result<BackupEnd> read_bytes(std::string_view bytes, BackupContents& told, size_t piece = 1 << 20) {
  BackupReader reader("in memory", recording(told));
  for (size_t at = 0; at < bytes.size(); at += piece) CH_TRY(reader.feed(bytes.substr(at, piece)));
  return reader.finish();
}

std::string fault_in(std::string_view bytes) {
  BackupContents told;
  const auto end = read_bytes(bytes, told);
  return end.ok() ? "sound" : end.error().message;
}

std::string frame(FrameType type, std::string_view payload) { return frame_head(type, payload) + std::string(payload); }

std::string entry_payload(Revision revision, std::string_view key, std::string_view value) {
  std::string payload;
  put_i64(payload, revision);
  put_u32(payload, static_cast<uint32_t>(key.size()));
  return payload.append(key).append(value);
}

class BackupTest : public ::testing::Test {
 protected:
  BackupTest() {
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(store_
                      .commit_and_wait(
                          {fmt::format("core/configmaps/default/c{}", i), std::string(static_cast<size_t>(i) * 7, 'x')})
                      .ok());
    }
    EXPECT_TRUE(store_.commit_and_wait({"core/configmaps/default/c3", std::nullopt}).ok());
    EXPECT_TRUE(store_.commit_and_wait({"core/configmaps/default/c4", std::string("\0new\n", 5)}).ok());
  }
  MemoryStore store_;
};

TEST_F(BackupTest, WhatWasWrittenIsReadAgainInPiecesOfAnySize) {
  const auto bytes = backup_of(store_, {{"encryption.keys", "0 k\n"}, {"pki/sa.key", "secret"}});
  for (const size_t piece : {size_t{1}, size_t{7}, size_t{100}, bytes.size()}) {
    SCOPED_TRACE(piece);
    BackupContents told;
    const auto end = read_bytes(bytes, told, piece);
    ASSERT_TRUE(end.ok()) << end.error().message;
    EXPECT_EQ(end->objects, 19);
    EXPECT_EQ(told.header.objects, 19);
    EXPECT_EQ(told.header.revision, 22);
    EXPECT_EQ(told.header.program, "1.2.3");
    EXPECT_EQ(told.header.time, "2023-11-14T22:13:20Z");
    EXPECT_TRUE(told.header.with_keys);
    EXPECT_EQ(told.files, (std::map<std::string, std::string>{{"encryption.keys", "0 k\n"}, {"pki/sa.key", "secret"}}));
    EXPECT_FALSE(told.entries.contains("core/configmaps/default/c3"));
    EXPECT_EQ(told.entries.at("core/configmaps/default/c4").value, std::string("\0new\n", 5));
    EXPECT_EQ(told.entries.at("core/configmaps/default/c4").revision, 22);
    EXPECT_EQ(told.entries.at("core/configmaps/default/c5").revision, 6);
  }
}

TEST_F(BackupTest, ABackupThatIsCutIsRefusedWhereverItIsCut) {
  const auto bytes = backup_of(store_);
  ASSERT_EQ(fault_in(bytes), "sound");
  for (size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_THAT(fault_in(std::string_view(bytes).substr(0, size)), HasSubstr("cannot be used")) << size;
  }
  EXPECT_THAT(fault_in(bytes + "x"), HasSubstr("something behind its end"));
}

TEST_F(BackupTest, ABackupWithOneChangedBitIsRefusedWhereverItIs) {
  const auto bytes = backup_of(store_, {{"encryption.keys", "0 k\n"}});
  for (size_t at = 0; at < bytes.size(); ++at) {
    auto changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ (1 << (at % 8)));
    ASSERT_NE(fault_in(changed), "sound") << at;
  }
}

TEST(BackupReader, FramesThatDoNotFitTogetherAreRefused) {
  BackupHeader header;
  header.revision = 9;
  header.store = "s";
  header.time = "t";
  header.program = "p";
  header.objects = 2;
  const std::string magic(kBackupMagic);
  const auto head = frame(FrameType::kHeader, header.text());
  const auto first = frame(FrameType::kEntry, entry_payload(3, "a/b/c", "{}"));
  const auto second = frame(FrameType::kEntry, entry_payload(5, "a/b/d", "{}"));
  const auto file = [](std::string_view name) {
    std::string payload;
    put_u32(payload, static_cast<uint32_t>(name.size()));
    return frame(FrameType::kFile, payload.append(name).append("content"));
  };
  std::string huge(1, 'O');
  put_u32(huge, 0xffffffff);
  put_u32(huge, 0);

  struct Row {
    const char* reason;
    std::string bytes;
    const char* fault;
  };
  const Row rows[] = {
      {"a text file is no backup", "apiVersion: v1\n", "does not begin like a backup"},
      {"another version of the format", "chandler-backup 2\n", "does not begin like a backup"},
      {"nothing says what this is", magic + first, "header is missing or repeated"},
      {"two headers", magic + head + head, "header is missing or repeated"},
      {"the order of revisions is that of the store", magic + head + second + first, "not in order"},
      {"no object is newer than the backup", magic + head + frame(FrameType::kEntry, entry_payload(10, "k", "")),
       "not in order"},
      {"every object has a key", magic + head + frame(FrameType::kEntry, entry_payload(3, "", "{}")), "has no key"},
      {"an object that is too short", magic + head + frame(FrameType::kEntry, "123"), "has no key"},
      {"a name that leads outside", magic + head + file("../../etc/passwd"), "does not belong into a backup"},
      {"a file that is not one of the keys", magic + head + file("chandler.db"), "does not belong into a backup"},
      {"files come before objects", magic + head + first + file("pki/ca.key"), "not where it belongs"},
      {"a length that memory cannot hold", magic + head + huge, "longer than it can be"},
      {"a type that we do not know", magic + head + "Z", "unknown type"},
      {"a header that says nothing", magic + frame(FrameType::kHeader, "hello"), "cannot be read"},
      {"an end that comes too soon", magic + head + first + frame(FrameType::kEnd, BackupEnd{1, 2, "x"}.text()),
       "holds 1 objects and should hold 2"},
      {"an end with the wrong digest",
       magic + head + first + second + frame(FrameType::kEnd, BackupEnd{2, 4, "x"}.text()), "SHA-256"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.reason);
    EXPECT_THAT(fault_in(row.bytes), HasSubstr(row.fault));
  }
}

TEST_F(BackupTest, AFailureToWriteEndsTheBackup) {
  int pieces = 0;
  BackupWriter writer(
      [&](std::string_view) -> Result<void> {
        ++pieces;
        return unavailable("the disk is full");
      },
      {}, "1", WallTime());
  ASSERT_TRUE(store_.snapshot(writer).ok()) << "small: nothing is written before the end";
  EXPECT_FALSE(writer.finish().ok());
  EXPECT_EQ(pieces, 1);
}

}  // namespace
}  // namespace chandler::storage
