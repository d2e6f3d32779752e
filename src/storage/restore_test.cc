// A backup in a data directory: what is there afterwards, what is refused before anything is touched, and that a fault
// or an end at any point leaves the old state or the new one.
#include "storage/restore.h"

#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/time_text.h"
#include "storage/backup/backup_reader.h"
#include "storage/backup/backup_writer.h"
#include "storage/embedded/embedded_store.h"
#include "storage/embedded/faulty_vfs.h"
#include "storage/embedded/restore_journal.h"
#include "storage/keyring.h"
#include "storage/temp_directory.h"

namespace chandler::storage {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

using State = std::map<std::string, std::pair<Revision, std::string>>;

class RestoreTest : public ::testing::Test {
 protected:
  RestoreTest() {
    for (int i = 0; i < 30; ++i) put(source_, fmt::format("core/configmaps/default/c{}", i), "{}");
    put(source_, kSecret, keyring_.seal("{\"password\":1}", kSecret));
    put(source_, "core/configmaps/default/c1", "{\"a\":1}");
  }

  static EmbeddedOptions in(const std::string& directory) {
    EmbeddedOptions options;
    options.directory = directory;
    return options;
  }
  static void put(const std::string& directory, const std::string& key, const std::string& value) {
    const auto store = EmbeddedStore::open(in(directory)).value();
    ASSERT_TRUE(store->commit_and_wait({key, value}).ok());
  }
  static State state(const std::string& directory) {
    const auto store = EmbeddedStore::open(in(directory)).value();
    State found;
    EXPECT_TRUE(store
                    ->range("", "", 0,
                            [&](const Entry& entry) {
                              found[entry.key] = {entry.revision, entry.value};
                              return true;
                            })
                    .ok());
    return found;
  }

  std::string make_backup(std::vector<CarriedFile> files = {}) {
    const auto store = EmbeddedStore::open(in(source_)).value();
    std::string bytes;
    BackupWriter writer(
        [&](std::string_view piece) -> Result<void> {
          bytes += piece;
          return {};
        },
        std::move(files), "1.2.3", system_clock().now());
    EXPECT_TRUE(store->snapshot(writer).ok());
    EXPECT_TRUE(writer.finish().ok());
    const auto path = directory_.path() + "/file.backup";
    EXPECT_TRUE(write_file(path, bytes, 0600).ok());
    return path;
  }
  RestoreOptions options(const std::string& from) {
    RestoreOptions restore;
    restore.directory = target_;
    restore.from = from;
    restore.key_file = keys_;
    return restore;
  }
  static std::string fault(const RestoreOptions& options) {
    const auto report = restore_backup(options, system_clock());
    return report.ok() ? "restored" : report.error().message;
  }

  static constexpr const char* kSecret = "core/secrets/default/s";
  const TempDirectory directory_{TempDirectory::memory()};
  const std::string source_ = directory_.path() + "/source";
  const std::string target_ = directory_.path() + "/target";
  const std::string keys_ = directory_.path() + "/keys";
  const Keyring keyring_ = Keyring::open(keys_).value();
};

TEST_F(RestoreTest, ObjectsComeBackWithTheirRevisionsAndTheStoreGoesOnFarAhead) {
  const auto report = restore_backup(options(make_backup()), system_clock());
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->header.objects, 31);
  EXPECT_EQ(report->sealed, 1);
  EXPECT_EQ(report->aside, "");
  EXPECT_FALSE(report->has_pki);
  EXPECT_GE(report->revision, 32 + 1'000'000'000);
  EXPECT_EQ(state(target_), state(source_));

  const auto store = EmbeddedStore::open(in(target_)).value();
  EXPECT_EQ(store->revision(), report->revision);
  EXPECT_EQ(store->floor(), report->revision) << "nothing of the past can be watched";
  const auto old = store->get("core/configmaps/default/c1", 32);
  ASSERT_FALSE(old.ok());
  EXPECT_EQ(old.error().reason, Reason::kExpired);
  EXPECT_EQ(store->commit_and_wait({"new", "{}"})->revision, report->revision + 1);
  const auto ring = Keyring::open(target_ + "/encryption.keys").value();
  EXPECT_EQ(ring.open_sealed(store->get(kSecret).value()->value, kSecret).value(), "{\"password\":1}");
}

TEST_F(RestoreTest, TwoRestoresOfOneBackupGiveOutDifferentRevisions) {
  BackupHeader header;
  header.revision = 100;
  header.time = "2026-11-15T10:00:00Z";
  const WallTime made = *parse_rfc3339(header.time);
  EXPECT_EQ(revision_after_restore(header, made), 1'000'000'100);
  EXPECT_EQ(revision_after_restore(header, made - std::chrono::hours(1)), 1'000'000'100) << "a clock that went back";
  EXPECT_EQ(revision_after_restore(header, made + std::chrono::seconds(5)), 1'005'000'100);
}

TEST_F(RestoreTest, KeysOfTheBackupAreTakenAndPrivateKeysStayPrivate) {
  const auto text = read_file(keys_).value();
  auto restore = options(make_backup({{"encryption.keys", text}, {"pki/ca.crt", "cert"}, {"pki/ca.key", "key"}}));
  restore.key_file.clear();
  const auto report = restore_backup(restore, system_clock());
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->has_pki);
  EXPECT_EQ(read_file(target_ + "/encryption.keys").value(), text);
  EXPECT_EQ(fs::status(target_ + "/pki/ca.key").permissions() & fs::perms::all,
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(RestoreTest, WithoutTheRightKeysNothingIsTouched) {
  auto restore = options(make_backup());
  restore.key_file.clear();
  EXPECT_THAT(fault(restore), AllOf(HasSubstr(keyring_.newest()), HasSubstr("--keys FILE")));
  EXPECT_FALSE(file_exists(target_ + "/chandler.db"));
  restore.key_file = directory_.path() + "/other";
  ASSERT_TRUE(Keyring::open(restore.key_file).ok());
  EXPECT_THAT(fault(restore), HasSubstr("which the key file does not hold"));
  EXPECT_FALSE(file_exists(target_ + "/chandler.db"));
  EXPECT_FALSE(file_exists(restore_staging(target_)));
}

TEST_F(RestoreTest, ADamagedBackupIsRefusedBeforeAnythingIsTouched) {
  auto restore = options(make_backup());
  auto bytes = read_file(restore.from).value();
  bytes[bytes.size() / 2] ^= 0x10;
  ASSERT_TRUE(write_file(restore.from, bytes).ok());
  EXPECT_THAT(fault(restore), AllOf(HasSubstr(restore.from), HasSubstr("cannot be used")));
  EXPECT_FALSE(file_exists(target_));
}

TEST_F(RestoreTest, ADirectoryInUseIsLeftAloneUnlessForcedAndThenKeptAside) {
  auto restore = options(make_backup());
  put(target_, "core/configmaps/default/old", "{}");
  ASSERT_TRUE(write_file(target_ + "/volumes.txt", "stays").ok());
  const auto before = state(target_);
  EXPECT_THAT(fault(restore), HasSubstr("--force"));
  EXPECT_EQ(state(target_), before);

  restore.force = true;
  {
    const auto running = EmbeddedStore::open(in(target_)).value();
    EXPECT_THAT(fault(restore), HasSubstr("is not free"));
  }
  const auto report = restore_backup(restore, system_clock());
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(state(target_), state(source_));
  EXPECT_EQ(state(report->aside), before) << "what was there can be started again";
  EXPECT_EQ(read_file(target_ + "/volumes.txt").value(), "stays");
}

// The journal as a killed process can leave it: after the decision, with some of the files moved already.
TEST_F(RestoreTest, ADecidedRestoreIsFinishedByWhoeverOpensTheDirectory) {
  const auto backup = make_backup();
  for (int moved = 0; moved < 4; ++moved) {
    SCOPED_TRACE(fmt::format("killed after {} moves", moved));
    const auto fresh = directory_.path() + fmt::format("/fresh{}", moved);
    auto restore = options(backup);
    restore.directory = fresh;
    ASSERT_TRUE(restore_backup(restore, system_clock()).ok());
    const auto busy = directory_.path() + fmt::format("/busy{}", moved);
    put(busy, "core/configmaps/default/old", "{}");
    ASSERT_TRUE(write_file(busy + "/chandler.db-wal", "a log of the old database").ok());

    const auto staging = restore_staging(busy);
    fs::create_directories(staging);
    fs::rename(fresh + "/chandler.db", staging + "/chandler.db");
    fs::rename(fresh + "/encryption.keys", staging + "/encryption.keys");
    ASSERT_TRUE(decide_restore(busy, "aside").ok());
    fs::create_directories(busy + "/aside");
    if (moved > 0) fs::rename(busy + "/restore.ready/encryption.keys", busy + "/encryption.keys");
    if (moved > 1) fs::rename(busy + "/chandler.db-wal", busy + "/aside/chandler.db-wal");
    if (moved > 2) fs::rename(busy + "/chandler.db", busy + "/aside/chandler.db");

    EXPECT_EQ(state(busy), state(source_));
    EXPECT_FALSE(restore_is_decided(busy));
    EXPECT_TRUE(file_exists(busy + "/aside/chandler.db"));
    EXPECT_TRUE(file_exists(busy + "/aside/chandler.db-wal"));
    EXPECT_TRUE(file_exists(busy + "/encryption.keys"));
  }
}

TEST_F(RestoreTest, ABackupFromAFailingDiskIsAnErrorAndNeverAShortOne) {
  int refused = 0;
  for (long call = 1;; ++call) {
    SCOPED_TRACE(fmt::format("call {} failed", call));
    FaultyVfs vfs("faulty-backup", FaultyVfs::Fault::kIoError);
    auto faulty = in(source_);
    faulty.vfs = vfs.name();
    const auto store = EmbeddedStore::open(faulty).value();
    vfs.fail_at(call);
    std::string bytes;
    BackupWriter writer(
        [&](std::string_view piece) -> Result<void> {
          bytes += piece;
          return {};
        },
        {}, "1.2.3", system_clock().now());
    auto copied = store->snapshot(writer);
    if (copied.ok()) copied = writer.finish();
    const bool struck = vfs.struck();
    if (!copied.ok()) {
      ASSERT_TRUE(struck) << copied.error().message;
      EXPECT_EQ(copied.error().reason, Reason::kServiceUnavailable);
      ++refused;
      continue;
    }
    BackupReader reader("written", {});
    ASSERT_TRUE(reader.feed(bytes).ok());
    EXPECT_EQ(reader.finish().value().objects, 31);
    if (!struck) break;
  }
  EXPECT_GT(refused, 2);
}

TEST_F(RestoreTest, NoSingleFaultOfTheDiskLeavesHalfADatabase) {
  auto restore = options(make_backup());
  restore.force = true;
  put(target_, "core/configmaps/default/old", "{}");
  const auto before = state(target_);
  for (long call = 1;; ++call) {
    SCOPED_TRACE(fmt::format("call {} failed", call));
    bool struck = false;
    {
      FaultyVfs vfs("faulty-restore", FaultyVfs::Fault::kIoError);
      vfs.fail_at(call);
      restore.vfs = vfs.name();
      const auto said = fault(restore);
      struck = vfs.struck();
      if (said != "restored") {
        ASSERT_TRUE(struck) << said;
        ASSERT_EQ(state(target_), before);
        continue;
      }
    }
    ASSERT_EQ(state(target_), state(source_));
    if (!struck) {
      EXPECT_GT(call, 10) << "the restore must meet the disk often enough to prove something";
      break;
    }
    // The fault was survived (a read that SQLite repeats, a file it can do without): back to the start.
    fs::remove_all(target_);
    put(target_, "core/configmaps/default/old", "{}");
  }
}

}  // namespace
}  // namespace chandler::storage
