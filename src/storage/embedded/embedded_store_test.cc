// What only the embedded store has: its files, their protection, and what it does with files that are not right.
#include "storage/embedded/embedded_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/metrics.h"
#include "storage/embedded/sqlite.h"
#include "storage/temp_directory.h"

namespace chandler::storage {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class NullSink final : public ChangeSink {
 public:
  void on_changes(std::span<const Change>) override {}
};

class EmbeddedStoreTest : public ::testing::Test {
 protected:
  Result<std::unique_ptr<Store>> try_open() { return EmbeddedStore::open(options_); }
  std::unique_ptr<Store> open() { return try_open().value(); }
  std::string open_error() {
    const auto opened = try_open();
    return opened.ok() ? "opened" : opened.error().message;
  }
  // Behind the store's back.
  void sql(const std::string& text) {
    auto database = Database::open(file_, "").value();
    const auto done = database.execute(text.c_str());
    ASSERT_TRUE(done.ok()) << done.error().message;
  }
  int64_t number(const std::string& text) {
    auto database = Database::open(file_, "").value();
    return database.integer(text.c_str()).value();
  }
  void fill(int writes) {
    const auto store = open();
    for (int i = 0; i < writes; ++i) {
      ASSERT_TRUE(store->commit_and_wait({fmt::format("k{}", i), std::string(500, 'v')}).ok());
    }
  }
  std::string attach_error() {
    const auto store = open();
    NullSink sink;
    const auto attached = store->attach(sink, [](const Entry&) {});
    return attached.ok() ? "attached" : attached.error().message;
  }

  const TempDirectory directory_;
  const std::string file_ = directory_.path() + "/chandler.db";
  EmbeddedOptions options_ = [this] {
    EmbeddedOptions options;
    options.directory = directory_.path();
    return options;
  }();
};

TEST_F(EmbeddedStoreTest, CreatesItsDirectoryAndAFileForItsOwnerOnly) {
  options_.directory = directory_.path() + "/new/data";
  const auto store = open();
  ASSERT_TRUE(store->commit_and_wait({"a", "1"}).ok());
  for (const auto* name : {"/chandler.db", "/chandler.db-wal", "/chandler.db-shm"}) {
    struct stat info {};
    ASSERT_EQ(::stat((options_.directory + name).c_str(), &info), 0) << name;
    EXPECT_EQ(info.st_mode & 0777, 0600u) << name;
  }
}

TEST_F(EmbeddedStoreTest, WhatOthersCouldReadIsTakenBack) {
  fill(1);
  ASSERT_EQ(::chmod(directory_.path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod(file_.c_str(), 0644), 0);
  EXPECT_EQ(open_error(), "opened");
  struct stat info {};
  ASSERT_EQ(::stat(file_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  ASSERT_EQ(::stat(directory_.path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0711u) << "accounts of database servers pass through";
}

TEST_F(EmbeddedStoreTest, ADatabaseThatOthersCouldChangeIsRefused) {
  fill(1);
  ASSERT_EQ(::chmod(file_.c_str(), 0666), 0);
  EXPECT_THAT(open_error(), AllOf(HasSubstr(file_ + " (mode 0666)"), HasSubstr("chmod 600")));
}

TEST_F(EmbeddedStoreTest, ASecondOneOnTheSameDirectoryIsToldWhoHasIt) {
  auto store = open();
  EXPECT_THAT(open_error(), AllOf(HasSubstr(directory_.path()), HasSubstr(fmt::format("process {}", ::getpid())),
                                  HasSubstr("--data-dir")));
  store.reset();
  EXPECT_EQ(open_error(), "opened");
}

TEST_F(EmbeddedStoreTest, ADirectoryThatCannotBeMadeIsNamed) {
  ASSERT_TRUE(write_file(directory_.path() + "/file", "").ok());
  options_.directory = directory_.path() + "/file/data";
  EXPECT_THAT(open_error(), HasSubstr("cannot create the directory " + directory_.path() + "/file"));
}

TEST_F(EmbeddedStoreTest, AfterAStopAllIsInTheOneFile) {
  fill(10);
  EXPECT_FALSE(file_exists(file_ + "-wal"));
  EXPECT_EQ(open()->revision(), 10);
}

TEST_F(EmbeddedStoreTest, RefusesAFileThatIsNoDatabase) {
  ASSERT_TRUE(write_file(file_, std::string(8192, 'x')).ok());
  EXPECT_THAT(open_error(), AllOf(HasSubstr(file_), HasSubstr("not a database of Chandler")));
}

TEST_F(EmbeddedStoreTest, RefusesTheDatabaseOfAnotherProgramAndLeavesItAlone) {
  sql("CREATE TABLE theirs (x)");
  const auto before = read_file(file_).value();
  EXPECT_THAT(open_error(), AllOf(HasSubstr(file_), HasSubstr("another program")));
  EXPECT_EQ(read_file(file_).value(), before);
}

TEST_F(EmbeddedStoreTest, RefusesANewerFormat) {
  fill(1);
  sql("UPDATE meta SET value = 2 WHERE name = 'format'");
  EXPECT_THAT(open_error(), AllOf(HasSubstr(file_), HasSubstr("has format 2, this program knows format 1")));
}

TEST_F(EmbeddedStoreTest, AChangedRowIsFoundAndNamed) {
  struct Row {
    const char* name;
    const char* reason;
    const char* damage;
    Revision revision;
  };
  const Row rows[] = {
      {"body", "a flipped bit in a value", "UPDATE log SET body = x'00' WHERE rev = 3", 3},
      {"key", "a value under a wrong name", "UPDATE log SET key = 'k9' WHERE rev = 4", 4},
      {"delete", "a value that vanished", "UPDATE log SET body = NULL WHERE rev = 5", 5},
      {"prev", "history would be read wrongly", "UPDATE log SET prev = 1 WHERE rev = 6", 6},
      {"hole", "a row that vanished", "DELETE FROM log WHERE rev = 7", 7},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(std::string(row.name) + ": " + row.reason);
    std::filesystem::remove(file_);
    fill(9);
    ASSERT_EQ(attach_error(), "attached");
    sql(row.damage);
    EXPECT_THAT(attach_error(), AllOf(HasSubstr(file_), HasSubstr(fmt::format("the row of revision {}", row.revision)),
                                      HasSubstr("restore a backup")));
  }
}

TEST_F(EmbeddedStoreTest, CurrentRevisionsThatDisagreeWithTheLogAreFound) {
  struct Row {
    const char* name;
    const char* reason;
    const char* damage;
  };
  const Row rows[] = {
      {"gone", "changes of the key would be refused for ever", "DELETE FROM cur WHERE key = 'k3'"},
      {"revision", "the key would point to another key's value", "UPDATE cur SET rev = 2 WHERE key = 'k3'"},
      {"key", "a name that nobody wrote", "UPDATE cur SET key = 'k99' WHERE key = 'k3'"},
      {"added", "a key without a value", "INSERT INTO cur VALUES ('k99', 77)"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(std::string(row.name) + ": " + row.reason);
    std::filesystem::remove(file_);
    fill(9);
    ASSERT_EQ(attach_error(), "attached");
    sql(row.damage);
    EXPECT_THAT(attach_error(), AllOf(HasSubstr(file_), HasSubstr("\"cur\""), HasSubstr("restore a backup")));
  }
}

TEST_F(EmbeddedStoreTest, AChangedRowIsNotServed) {
  fill(3);
  sql("UPDATE log SET body = x'00' WHERE rev = 2");
  const auto store = open();
  EXPECT_TRUE(store->get("k0").value());
  EXPECT_THAT(store->get("k1").error().message, HasSubstr("key \"k1\""));
  EXPECT_FALSE(store->range("", "", 0, [](const Entry&) { return true; }).ok());
}

TEST_F(EmbeddedStoreTest, ATruncatedFileIsReported) {
  fill(200);
  std::filesystem::resize_file(file_, std::filesystem::file_size(file_) / 2);
  const auto opened = try_open();
  std::string message;
  if (!opened.ok()) {
    message = opened.error().message;
  } else {
    NullSink sink;
    const auto attached = (*opened)->attach(sink, [](const Entry&) {});
    ASSERT_FALSE(attached.ok());
    message = attached.error().message;
  }
  EXPECT_THAT(message, AllOf(HasSubstr(file_), HasSubstr("restore a backup")));
}

TEST_F(EmbeddedStoreTest, CompactionFreesTheRowsThatNobodyCanReadAnyMore) {
  constexpr int kWrites = 1000;
  const auto store = open();
  for (int i = 0; i < kWrites; ++i) {
    store->commit({fmt::format("k{}", i % 10), "v"}, [](Result<WriteOutcome> outcome) { ASSERT_TRUE(outcome.ok()); });
  }
  ASSERT_TRUE(store->commit_and_wait({"k0", std::nullopt}).ok());
  ASSERT_TRUE(store->compact(store->revision()).ok());
  // Every write takes a slice of the removal along; so many finish it, even if the thread was never idle.
  for (int i = 0; i <= kWrites / 2; ++i) ASSERT_TRUE(store->commit_and_wait({"w", "v"}).ok());
  EXPECT_EQ(number("SELECT count(*) FROM log WHERE rev <= (SELECT value FROM meta WHERE name = 'floor')"), 9);
  EXPECT_EQ(number("SELECT (SELECT value FROM meta WHERE name = 'trimmed') = (SELECT value FROM meta WHERE name = "
                   "'floor')"),
            1);
}

TEST_F(EmbeddedStoreTest, AnInterruptedRemovalOfHistoryIsHarmless) {
  {
    const auto store = open();
    for (int i = 0; i < 20; ++i)
      ASSERT_TRUE(store->commit_and_wait({fmt::format("k{}", i % 3), fmt::format("{}", i)}).ok());
    ASSERT_TRUE(store->commit_and_wait({"k0", std::nullopt}).ok());
  }
  sql("UPDATE meta SET value = 21 WHERE name = 'floor'");  // as if the process had ended right after raising the floor
  struct Collect final : ChangeSink {
    void on_changes(std::span<const Change>) override { ADD_FAILURE() << "there is no history after the floor"; }
  } sink;
  const auto store = open();
  std::map<std::string, std::string> state;
  ASSERT_TRUE(store
                  ->attach(sink,
                           [&](const Entry& entry) {
                             EXPECT_TRUE(state.emplace(entry.key, entry.value).second) << entry.key << " told twice";
                           })
                  .ok());
  EXPECT_EQ(state, (std::map<std::string, std::string>{{"k1", "19"}, {"k2", "17"}}));
  store->detach(sink);
}

TEST_F(EmbeddedStoreTest, TheWriteAheadLogStaysShortUnderALastingLoad) {
  options_.checkpoint_pages = 50;
  const auto store = open();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 1000; ++i) {
        ASSERT_TRUE(store->commit_and_wait({fmt::format("{}/{}", t, i % 50), std::string(4000, 'v')}).ok());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  // 4000 values of a page each went through it.
  EXPECT_LT(std::filesystem::file_size(file_ + "-wal"), size_t{8} << 20);
}

TEST_F(EmbeddedStoreTest, NormalDurabilityKeepsDataOverARestartToo) {
  options_.durability = Durability::kNormal;
  fill(5);
  EXPECT_EQ(open()->revision(), 5);
}

TEST_F(EmbeddedStoreTest, ShowsItsMetrics) {
  metrics::Registry registry;
  options_.metrics = &registry;
  const auto store = open();
  ASSERT_TRUE(store->commit_and_wait({"a", "1"}).ok());
  ASSERT_TRUE(store->commit_and_wait({"a", "2"}).ok());
  EXPECT_THAT(registry.text(), AllOf(HasSubstr("chandler_store_revision 2\n"), HasSubstr("chandler_store_queue 0\n"),
                                     HasSubstr("chandler_store_commit_batch_size_count 2\n"),
                                     HasSubstr("chandler_store_commit_seconds_count 2\n")));
}

}  // namespace
}  // namespace chandler::storage
