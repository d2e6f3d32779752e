// A new key for everything that is stored, with the process dying at every point in between.
#include "storage/embedded/key_rotation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "storage/embedded/embedded_store.h"
#include "storage/embedded/faulty_vfs.h"
#include "storage/embedded/sqlite.h"
#include "storage/keyring.h"
#include "storage/temp_directory.h"

namespace chandler::storage {
namespace {

using ::testing::HasSubstr;

class KeyRotationTest : public ::testing::Test {
 protected:
  // Secrets with a history, and others that are not sealed.
  void fill(const std::string& directory) {
    const auto ring = Keyring::open(directory + "/keys").value();
    const auto store = EmbeddedStore::open(in(directory)).value();
    for (int i = 0; i < kSecrets; ++i) {
      const auto key = fmt::format("core/secrets/default/s{}", i);
      for (const auto* value : {"{\"v\":1}", "{\"v\":2}"}) {
        ASSERT_TRUE(store->commit_and_wait({key, ring.seal(value, key)}).ok());
      }
    }
    ASSERT_TRUE(store->commit_and_wait({"core/configmaps/default/c", "{}"}).ok());
    ASSERT_TRUE(store->commit_and_wait({"core/secrets/default/s0", std::nullopt}).ok());
  }
  static EmbeddedOptions in(const std::string& directory, const std::string& vfs = "") {
    EmbeddedOptions options;
    options.directory = directory;
    options.vfs = vfs;
    return options;
  }
  static Result<RotationReport> rotate(const std::string& directory, const std::string& vfs = "", bool keep = false) {
    RotationOptions options;
    options.store = in(directory, vfs);
    options.key_file = directory + "/keys";
    options.keep_old_keys = keep;
    return rotate_keys(options);
  }
  // Every value that the store can tell of, at every revision, opens with the key file as it is.
  static void check_readable(const std::string& directory) {
    const auto ring = Keyring::open(directory + "/keys").value();
    const auto store = EmbeddedStore::open(in(directory)).value();
    ASSERT_EQ(store->revision(), 2 * kSecrets + 2);
    for (Revision at = 1; at <= store->revision(); ++at) {
      for (int i = 0; i < kSecrets; ++i) {
        const auto key = fmt::format("core/secrets/default/s{}", i);
        const auto entry = store->get(key, at);
        ASSERT_TRUE(entry.ok()) << entry.error().message;
        if (!*entry) continue;
        const auto plain = ring.open_sealed((*entry)->value, key);
        ASSERT_TRUE(plain.ok()) << plain.error().message;
        ASSERT_EQ(*plain, at < 2 * i + 2 ? "{\"v\":1}" : "{\"v\":2}");
      }
    }
    ASSERT_EQ(store->get("core/configmaps/default/c").value()->value, "{}");
  }

  static constexpr int kSecrets = 6;
};

TEST_F(KeyRotationTest, EveryValueIsSealedWithTheNewKeyAndTheOldOneIsGone) {
  const TempDirectory directory;
  fill(directory.path());
  const auto before = Keyring::open(directory.path() + "/keys")->newest();
  const auto report = rotate(directory.path());
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_NE(report->key, before);
  EXPECT_FALSE(report->resumed);
  EXPECT_EQ(report->resealed, 2 * kSecrets) << "the history too";
  EXPECT_EQ(report->removed_keys, 1);
  const auto ring = Keyring::open(directory.path() + "/keys").value();
  EXPECT_EQ(ring.size(), 1u);
  EXPECT_EQ(ring.newest(), report->key);
  check_readable(directory.path());
  EXPECT_EQ(read_file(directory.path() + "/chandler.db")->find("k1:" + before), std::string::npos)
      << "nothing that the old key opens is left in the file";
}

TEST_F(KeyRotationTest, OldKeysStayWhereOldBackupsNeedThem) {
  const TempDirectory directory;
  fill(directory.path());
  const auto report = rotate(directory.path(), "", true);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->removed_keys, 0);
  EXPECT_EQ(Keyring::open(directory.path() + "/keys")->size(), 2u);
  check_readable(directory.path());
}

TEST_F(KeyRotationTest, ARotationThatIsKilledAnywhereLeavesEverythingReadableAndIsFinishedByTheNext) {
  bool resumed = false;
  for (long call = 1;; ++call) {
    SCOPED_TRACE(fmt::format("dead from call {} on", call));
    const TempDirectory directory(TempDirectory::memory());
    fill(directory.path());
    bool struck = false;
    {
      FaultyVfs vfs("faulty-rotation", FaultyVfs::Fault::kCrash);
      vfs.fail_at(call);
      (void)rotate(directory.path(), vfs.name());
      struck = vfs.struck();
    }
    check_readable(directory.path());
    if (HasFatalFailure()) return;
    if (!struck) {
      EXPECT_GT(call, 20) << "the rotation must meet the disk often enough to prove something";
      break;
    }
    const auto report = rotate(directory.path());
    ASSERT_TRUE(report.ok()) << report.error().message;
    resumed = resumed || report->resumed;
    check_readable(directory.path());
    if (HasFatalFailure()) return;
    ASSERT_EQ(Keyring::open(directory.path() + "/keys")->size(), 1u);
  }
  EXPECT_TRUE(resumed);
}

TEST_F(KeyRotationTest, ADirectoryThatAServerUsesIsLeftAlone) {
  const TempDirectory directory;
  fill(directory.path());
  const auto running = EmbeddedStore::open(in(directory.path())).value();
  const auto report = rotate(directory.path());
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message, HasSubstr("is not free"));
  EXPECT_EQ(Keyring::open(directory.path() + "/keys")->size(), 1u);
}

TEST_F(KeyRotationTest, WithoutTheOldKeyNothingChanges) {
  const TempDirectory directory;
  fill(directory.path());
  ASSERT_TRUE(rename((directory.path() + "/keys").c_str(), (directory.path() + "/lost").c_str()) == 0);
  ASSERT_TRUE(Keyring::open(directory.path() + "/keys").ok());
  const auto report = rotate(directory.path());
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message, HasSubstr("which the key file does not hold"));
  ASSERT_TRUE(rename((directory.path() + "/lost").c_str(), (directory.path() + "/keys").c_str()) == 0);
  check_readable(directory.path());
}

}  // namespace
}  // namespace chandler::storage
