#include "apiserver/audit/audit_file.h"

#include <sys/stat.h>

#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "base/file.h"
#include "storage/temp_directory.h"
#include "support/fake_clock.h"

namespace chandler::apiserver {
namespace {

class AuditFileTest : public ::testing::Test {
 protected:
  std::string path() const { return directory_.path() + "/audit.log"; }
  std::set<std::string> names() const {
    std::set<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
      out.insert(entry.path().filename().string());
    }
    return out;
  }

  storage::TempDirectory directory_;
  ::chandler::testing::FakeClock clock_;
};

TEST_F(AuditFileTest, AppendsToWhatIsThereAndIsForItsOwnerAlone) {
  {
    AuditFile file(path(), {}, clock_);
    ASSERT_TRUE(file.append("one\n").ok());
  }
  AuditFile file(path(), {}, clock_);
  ASSERT_TRUE(file.append("two\n").ok());
  EXPECT_EQ(*read_file(path()), "one\ntwo\n");
  struct stat status {};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(AuditFileTest, RotatesBySizeAndKeepsSoManyBackups) {
  AuditFile file(path(), {.max_bytes = 10, .max_backups = 2}, clock_);
  for (const auto* line : {"11111111\n", "22222222\n", "33333333\n", "44444444\n", "55555555\n"}) {
    ASSERT_TRUE(file.append(line).ok());
    clock_.advance(std::chrono::seconds(1));
  }
  const auto all = names();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(*read_file(path()), "55555555\n");
  EXPECT_EQ(*read_file(directory_.path() + "/" + *all.begin()), "33333333\n");
}

TEST_F(AuditFileTest, RotatedTwiceInOneMomentLosesNothing) {
  AuditFile file(path(), {.max_bytes = 1}, clock_);
  for (const auto* line : {"1\n", "2\n", "3\n"}) ASSERT_TRUE(file.append(line).ok());
  EXPECT_EQ(names().size(), 3U);
}

TEST_F(AuditFileTest, RemovesWhatIsTooOldAndNothingElse) {
  AuditFile file(path(), {.max_bytes = 1, .max_age_days = 2}, clock_);
  ASSERT_TRUE(write_file(directory_.path() + "/audit-notes.log", "mine").ok());
  ASSERT_TRUE(file.append("1\n").ok());
  ASSERT_TRUE(file.append("2\n").ok());
  EXPECT_EQ(names().size(), 3U);
  clock_.advance(std::chrono::hours(72));
  ASSERT_TRUE(file.append("3\n").ok());
  const auto all = names();
  EXPECT_EQ(all.size(), 3U);  // the first backup is gone, the second is new
  EXPECT_TRUE(all.contains("audit-notes.log"));
}

TEST_F(AuditFileTest, AFileThatCannotBeRenamedGoesOn) {
  // All names that the moment offers are folders with something in them: nothing can be renamed to them.
  std::string name = directory_.path() + "/audit-2023-11-14T22-13-20.000";
  for (int i = 0; i < 100; ++i) {
    const auto taken = name + (i == 0 ? "" : "-" + std::to_string(i)) + ".log";
    ASSERT_TRUE(make_directories(taken + "/full").ok());
  }
  AuditFile file(path(), {.max_bytes = 4}, clock_);
  ASSERT_TRUE(file.append("1\n2\n").ok());
  ASSERT_TRUE(file.append("3\n").ok());
  EXPECT_EQ(*read_file(path()), "1\n2\n3\n");
}

TEST_F(AuditFileTest, APathThatCannotWorkIsFoundOutAtStart) {
  AuditFile file(directory_.path() + "/missing/audit.log", {}, clock_);
  const auto opened = file.open();
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().message.find("missing/audit.log"), std::string::npos);
}

}  // namespace
}  // namespace chandler::apiserver
