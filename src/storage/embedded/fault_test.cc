// One failing call of the file system after the other, at every place it can happen, and what must hold afterwards.
#include <cerrno>
#include <filesystem>
#include <future>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/embedded/embedded_store.h"
#include "storage/embedded/faulty_vfs.h"
#include "storage/temp_directory.h"

namespace chandler::storage {
namespace {

using ::testing::HasSubstr;

using Model = std::map<std::string, std::string>;

// What the script was told, and what it cannot know.
struct Told {
  Revision revision = 0;                                   // newest acknowledged
  Model state;                                             // as acknowledged
  std::map<std::string, std::optional<std::string>> open;  // writes that failed: by now they may or may not be there
  int refused = 0;
};

EmbeddedOptions options_in(const std::string& directory, const std::string& vfs) {
  EmbeddedOptions options;
  options.directory = directory;
  options.vfs = vfs;
  options.checkpoint_pages = 8;
  return options;
}

void write(Store& store, Told& told, const std::string& key, std::optional<std::string> value) {
  const auto outcome = store.commit_and_wait({key, value});
  if (!outcome.ok()) {
    EXPECT_EQ(outcome.error().reason, Reason::kServiceUnavailable) << outcome.error().message;
    ++told.refused;
    told.open[key] = value;
    return;
  }
  ASSERT_TRUE(outcome->committed);
  EXPECT_GT(outcome->revision, told.revision);
  told.revision = outcome->revision;
  told.open.erase(key);  // settled: written again, knowing what was there
  if (value) {
    told.state[key] = *value;
  } else {
    told.state.erase(key);
  }
}

// Creates, updates, deletes, compactions, a restart: everything that touches the files. Each key is written at most
// once after a failure, so that what is unknown stays simple.
void run_script(const EmbeddedOptions& options, Told& told) {
  for (int life = 0; life < 2; ++life) {
    const auto store = EmbeddedStore::open(options);
    if (!store.ok()) {
      EXPECT_THAT(store.error().message, HasSubstr(options.directory));
      return;
    }
    EXPECT_GE((*store)->revision(), told.revision);
    for (int i = 0; i < 6; ++i) {
      const auto key = fmt::format("{}/{}", life, i);
      write(**store, told, key, std::string(3000, static_cast<char>('a' + i)));
      if (i % 3 == 2 && told.state.contains(key)) write(**store, told, key, std::nullopt);
    }
    (void)(*store)->compact(told.revision - 2);
    if (told.state.contains("0/0")) write(**store, told, "0/0", fmt::format("life {}", life));
    (void)(*store)->get("0/0", 0);
  }
}

void check_after(const std::string& directory, const Told& told) {
  const auto opened = EmbeddedStore::open(options_in(directory, ""));
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  Store& store = **opened;
  EXPECT_GE(store.revision(), told.revision);

  struct Follower final : ChangeSink {
    Model state;
    void on_changes(std::span<const Change> changes) override {
      for (const auto& change : changes) {
        if (change.value) {
          state[std::string(change.key)] = std::string(*change.value);
        } else {
          state.erase(std::string(change.key));
        }
      }
    }
  } follower;
  const auto attached = store.attach(follower, [&](const Entry& entry) { follower.state[entry.key] = entry.value; });
  ASSERT_TRUE(attached.ok()) << attached.error().message;
  Model ranged;
  ASSERT_TRUE(store
                  .range("", "", 0,
                         [&](const Entry& entry) {
                           ranged[entry.key] = entry.value;
                           return true;
                         })
                  .ok());
  EXPECT_EQ(follower.state, ranged) << "the history and the current state must agree";

  // Every key is as acknowledged, or as a write of unknown outcome would have left it; no key comes from elsewhere.
  Model expected = told.state;
  for (const auto& [key, value] : told.open) {
    const auto found = ranged.find(key);
    const bool happened = value ? found != ranged.end() && found->second == *value : found == ranged.end();
    if (!happened) continue;
    if (value) {
      expected[key] = *value;
    } else {
      expected.erase(key);
    }
  }
  EXPECT_EQ(ranged, expected);

  const auto next = store.commit_and_wait({"after", "1"});
  ASSERT_TRUE(next.ok()) << next.error().message;
  EXPECT_GT(next->revision, told.revision);
  store.detach(follower);
}

class EmbeddedStoreFaults : public ::testing::TestWithParam<FaultyVfs::Fault> {};

TEST_P(EmbeddedStoreFaults, NoSingleFaultLosesOrHalvesAWrite) {
  int refused = 0;
  for (long call = 1;; ++call) {
    SCOPED_TRACE(fmt::format("call {} failed", call));
    const TempDirectory directory(TempDirectory::memory());
    Told told;
    bool struck = false;
    {
      FaultyVfs vfs("faulty", GetParam());
      vfs.fail_at(call);
      run_script(options_in(directory.path(), vfs.name()), told);
      struck = vfs.struck();
    }
    check_after(directory.path(), told);
    if (HasFailure()) return;
    refused += told.refused;
    if (!struck) {
      EXPECT_EQ(told.refused, 0);
      EXPECT_GT(call, 50) << "the script must meet the disk often enough to prove something";
      break;
    }
  }
  EXPECT_GT(refused, 0);
}

INSTANTIATE_TEST_SUITE_P(Faults, EmbeddedStoreFaults,
                         ::testing::Values(FaultyVfs::Fault::kIoError, FaultyVfs::Fault::kDiskFull,
                                           FaultyVfs::Fault::kCrash),
                         [](const auto& row) {
                           switch (row.param) {
                             case FaultyVfs::Fault::kIoError:
                               return "IoError";
                             case FaultyVfs::Fault::kDiskFull:
                               return "DiskFull";
                             default:
                               return "Crash";
                           }
                         });

TEST(EmbeddedStoreFault, AFullDiskRefusesAWriteAndTheNextSucceeds) {
  const TempDirectory directory;
  FaultyVfs vfs("full", FaultyVfs::Fault::kDiskFull);
  const auto store = EmbeddedStore::open(options_in(directory.path(), vfs.name())).value();
  ASSERT_TRUE(store->commit_and_wait({"a", "1"}).ok());
  vfs.fail_at(1);
  const auto refused = store->commit_and_wait({"b", "1"});
  ASSERT_TRUE(vfs.struck());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kServiceUnavailable);
  EXPECT_THAT(refused.error().message, HasSubstr("the disk is full; free some space"));
  EXPECT_THAT(refused.error().message, HasSubstr(directory.path()));
  EXPECT_EQ(store->failure(), "");
  EXPECT_EQ(store->commit_and_wait({"c", "1"}).value().revision, 2);
  EXPECT_FALSE(store->get("b").value());
}

TEST(EmbeddedStoreFault, WhenTheOutcomeOfACommitIsUnknownTheStoreTakesNoMoreWritesButReads) {
  const TempDirectory directory;
  FaultyVfs vfs("broken", FaultyVfs::Fault::kIoError);
  {
    const auto store = EmbeddedStore::open(options_in(directory.path(), vfs.name())).value();
    ASSERT_TRUE(store->commit_and_wait({"a", "1"}).ok());
    vfs.fail_at(1);
    const auto unknown = store->commit_and_wait({"b", "1"});
    ASSERT_FALSE(unknown.ok());
    EXPECT_THAT(unknown.error().message, HasSubstr("whether the write was stored is not known"));
    ASSERT_TRUE(vfs.struck());
    EXPECT_THAT(store->failure(), HasSubstr("takes no more writes until the server is restarted"));
    const auto refused = store->commit_and_wait({"c", "1"});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().message, store->failure());
    EXPECT_FALSE(store->compact(1).ok());
    EXPECT_EQ(store->get("a").value()->value, "1");
    EXPECT_FALSE(store->get("c").value());
  }
  const auto again = EmbeddedStore::open(options_in(directory.path(), "")).value();
  EXPECT_EQ(again->failure(), "");
  EXPECT_TRUE(again->commit_and_wait({"c", "1"}).value().committed);
}

struct SystemErrorCase {
  std::string name;
  std::string reason;
  int number;
  bool heals;
  std::string told;
};

class SystemErrors : public ::testing::TestWithParam<SystemErrorCase> {};

TEST_P(SystemErrors, OfAWriteRefuseItOrFailTheStore) {
  SCOPED_TRACE(GetParam().reason);
  const TempDirectory directory;
  FaultyVfs vfs("errors", FaultyVfs::Fault::kIoError);
  auto options = options_in(directory.path(), vfs.name());
  int failures = 0;
  options.on_failure = [&failures] { ++failures; };
  const auto store = EmbeddedStore::open(options).value();
  ASSERT_TRUE(store->commit_and_wait({"a", "1"}).ok());
  vfs.set_errno(GetParam().number);
  vfs.fail_at(1);
  const auto refused = store->commit_and_wait({"b", "1"});
  ASSERT_TRUE(vfs.struck());
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr(GetParam().told));
  EXPECT_THAT(refused.error().message, HasSubstr(fmt::format("errno {}", GetParam().number)));
  EXPECT_THAT(refused.error().message, HasSubstr(directory.path() + "/chandler.db-wal"));
  EXPECT_EQ(store->commit_and_wait({"c", "1"}).ok(), GetParam().heals);
  EXPECT_FALSE(store->get("b").value());
  EXPECT_EQ(store->failure().empty(), GetParam().heals);
  EXPECT_EQ(failures, GetParam().heals ? 0 : 1) << "reported once, not with every write that follows";
}

INSTANTIATE_TEST_SUITE_P(
    Faults, SystemErrors,
    ::testing::Values(
        SystemErrorCase{"Io", "nobody knows what is on the disk", EIO, false, "restart the server"},
        SystemErrorCase{"Quota", "as a full disk, though SQLite does not say so", EDQUOT, true, "disk quota"},
        SystemErrorCase{"FileSize", "RLIMIT_FSIZE, or the longest file of the file system", EFBIG, true, "longer file"},
        SystemErrorCase{"NoSpace", "not SQLITE_FULL when the file system below says so later", ENOSPC, true,
                        "the disk is full"}),
    [](const auto& row) { return row.param.name; });

TEST(EmbeddedStoreFault, ACheckpointWhoseSyncFailedIsNotTriedAgain) {
  const TempDirectory directory;
  FaultyVfs vfs("unsynced", FaultyVfs::Fault::kIoError);
  auto options = options_in(directory.path(), vfs.name());
  std::promise<void> failed;
  options.on_failure = [&failed] { failed.set_value(); };
  Revision acknowledged = 0;
  {
    const auto store = EmbeddedStore::open(options).value();
    vfs.fail_database_sync();
    for (;;) {
      const auto outcome = store->commit_and_wait({"key", std::string(3000, 'x')});
      if (!outcome.ok()) break;
      acknowledged = outcome->revision;
      ASSERT_LT(acknowledged, 10'000) << "no checkpoint has met the fault";
    }
    failed.get_future().get();
    EXPECT_THAT(store->failure(), HasSubstr("takes no more writes until the server is restarted"));
  }
  EXPECT_EQ(EmbeddedStore::open(options_in(directory.path(), "")).value()->revision(), acknowledged);
}

// A log whose sync failed may be whole in the system's memory and not on the disk. What a start appends to it would be
// lost with the part before it.
TEST(EmbeddedStoreFault, AStartMovesTheLogIntoTheDatabaseBeforeAnythingIsAppended) {
  const TempDirectory directory;
  const TempDirectory copy;
  {
    auto options = options_in(directory.path(), "");
    options.checkpoint_pages = 10'000;
    const auto store = EmbeddedStore::open(options).value();
    ASSERT_TRUE(store->commit_and_wait({"a", "1"}).ok());
    // As after a crash: with a log, which an orderly end would have emptied.
    for (const std::string name : {"/chandler.db", "/chandler.db-wal"}) {
      std::filesystem::copy_file(directory.path() + name, copy.path() + name);
    }
  }
  ASSERT_GT(std::filesystem::file_size(copy.path() + "/chandler.db-wal"), 0u);
  const auto store = EmbeddedStore::open(options_in(copy.path(), "")).value();
  EXPECT_EQ(std::filesystem::file_size(copy.path() + "/chandler.db-wal"), 0u);
  EXPECT_EQ(store->get("a").value()->value, "1");
}

}  // namespace
}  // namespace chandler::storage
