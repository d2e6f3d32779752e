#include "storage/embedded/joining_vfs.h"

#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "storage/embedded/faulty_vfs.h"
#include "storage/embedded/sqlite.h"
#include "storage/temp_directory.h"

namespace chandler::storage {
namespace {

// Counts what reaches the file system below, by way of a FaultyVfs that never fails.
class JoiningVfsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    database_.emplace(open());
    run(*database_,
        "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY, body)");
  }

  Database open() {
    auto opened = Database::open(directory_.path() + "/test.db", joining_->name());
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    auto database = std::move(opened).value();
    run(database, "PRAGMA synchronous = FULL");
    return database;
  }

  static void run(Database& database, const std::string& sql) {
    const auto done = database.execute(sql.c_str());
    ASSERT_TRUE(done.ok()) << done.error().message;
  }

  static std::string rows(int count, int bytes) {
    return fmt::format(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) "
        "INSERT INTO t (body) SELECT zeroblob({}) FROM n;",
        count, bytes);
  }

  const TempDirectory directory_;
  FaultyVfs below_{"below", FaultyVfs::Fault::kIoError};
  std::unique_ptr<JoiningVfs> joining_ = JoiningVfs::make(below_.name()).value();
  std::optional<Database> database_;
};

TEST_F(JoiningVfsTest, ACommitOfManyPagesIsOneWriteAndOneSync) {
  run(*database_, rows(1, 10));  // the head of the log is written and synced by itself
  const auto before = below_.counts();
  run(*database_, rows(10, 7000));
  EXPECT_EQ(below_.counts().writes - before.writes, 1);
  EXPECT_EQ(below_.counts().syncs - before.syncs, 1);
}

TEST_F(JoiningVfsTest, ALargerCommitIsWrittenInPiecesThatTheFileSystemTakes) {
  // 128 KiB at once would be taken for nothing; the sizes around it and its multiples.
  for (const int count : {15, 16, 17, 31, 32, 33, 100}) {
    SCOPED_TRACE(count);
    run(*database_, "DELETE FROM t");
    run(*database_, rows(count, 8000));
    EXPECT_EQ(open().integer("SELECT sum(length(body)) FROM t").value(), 8000 * count);
  }
}

TEST_F(JoiningVfsTest, OtherConnectionsSeeACommitAtOnceAndNothingBefore) {
  auto other = open();
  run(*database_, "BEGIN IMMEDIATE");
  run(*database_, rows(5, 5000));
  EXPECT_EQ(other.integer("SELECT count(*) FROM t").value(), 0);
  run(*database_, "COMMIT");
  EXPECT_EQ(other.integer("SELECT sum(length(body)) FROM t").value(), 25'000);
}

TEST_F(JoiningVfsTest, ATransactionLargerThanTheCacheReadsWhatItWroteBefore) {
  run(*database_, "PRAGMA cache_size = 4");  // pages go to the log long before the commit, and are read back from it
  run(*database_, "BEGIN IMMEDIATE");
  run(*database_, rows(60, 6000));
  EXPECT_EQ(database_->integer("SELECT sum(length(body)) FROM t").value(), 360'000);
  run(*database_, "UPDATE t SET body = zeroblob(10) WHERE id % 2 = 0");
  run(*database_, "COMMIT");
  EXPECT_EQ(open().integer("SELECT sum(length(body)) FROM t").value(), 30 * 6'000 + 30 * 10);
  EXPECT_EQ(open().integer("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'").value(), 1);
}

TEST_F(JoiningVfsTest, AWriteThatFailsFailsTheCommitAndTheNextOneSucceeds) {
  run(*database_, rows(1, 10));
  below_.fail_at(1);
  EXPECT_FALSE(database_->execute(rows(10, 7000).c_str()).ok());
  ASSERT_TRUE(below_.struck());
  EXPECT_TRUE(database_->rollback());
  EXPECT_EQ(open().integer("SELECT count(*) FROM t").value(), 1) << "half a commit is none";
  run(*database_, rows(3, 7000));
  EXPECT_EQ(open().integer("SELECT count(*) FROM t").value(), 4);
}

TEST_F(JoiningVfsTest, AnUnknownFileSystemIsRefused) {
  const auto made = JoiningVfs::make("no-such-file-system");
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message.find("no-such-file-system"), std::string::npos);
}

}  // namespace
}  // namespace chandler::storage
