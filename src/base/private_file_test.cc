#include "base/private_file.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "base/file.h"

namespace chandler {
namespace {

using ::testing::HasSubstr;

constexpr uid_t kSelf = 1000;
constexpr uid_t kOther = 1001;

struct JudgeRow {
  const char* name;
  const char* reason;
  PrivateKind kind;
  mode_t mode;
  uid_t owner;
  PrivateVerdict want;
  uid_t self = kSelf;
};

TEST(PrivateFile, ModesAndOwnersAreJudgedAsTheTableSays) {
  using enum PrivateKind;
  using enum PrivateVerdict;
  const std::vector<JudgeRow> rows = {
      {"key 0600", "ours alone", kKey, 0600, kSelf, kFine},
      {"key 0400", "not even written by us", kKey, 0400, kSelf, kFine},
      {"key 0640", "a group that was let in", kKey, 0640, kSelf, kFine},
      {"key 0640 of root", "root:chandler, or a mounted Secret", kKey, 0640, 0, kFine},
      {"key 0644", "anybody may have read it", kKey, 0644, kSelf, kRefuse},
      {"key 0604", "the same without a group", kKey, 0604, kSelf, kRefuse},
      {"key 0660", "a group may have changed it", kKey, 0660, kSelf, kRefuse},
      {"key 0602", "anybody may have changed it", kKey, 0602, kSelf, kRefuse},
      {"key 0644 for root", "root is no exception", kKey, 0644, 0, kRefuse, 0},
      {"key of another", "its owner can change it", kKey, 0640, kOther, kRefuse},
      {"key of another for root", "an operator checks the directory of the server's account", kKey, 0600, kOther, kFine,
       0},
      {"given 0600", "ours alone", kGiven, 0600, kSelf, kFine},
      {"given 0640 of another", "the operator gave it to our group", kGiven, 0640, kOther, kFine},
      {"given 0644", "the file is the operator's", kGiven, 0644, kSelf, kWarn},
      {"given 0664", "the file is the operator's", kGiven, 0664, kSelf, kWarn},
      {"given 0666", "anybody could make themselves an administrator", kGiven, 0666, kSelf, kRefuse},
      {"data 0600", "ours alone", kData, 0600, kSelf, kFine},
      {"data 0644", "what was read cannot be taken back, but what follows can", kData, 0644, kSelf, kTighten},
      {"data 0644 for root", "root may change the mode", kData, 0644, kOther, kTighten, 0},
      {"data 0644 of root", "we may not change the mode", kData, 0644, 0, kRefuse},
      {"data 0660", "a group may have changed it", kData, 0660, kSelf, kRefuse},
      {"data 0666", "anybody may have changed it", kData, 0666, kSelf, kRefuse},
      {"data of another", "its owner can change it", kData, 0640, kOther, kRefuse},
      {"directory 0700", "ours alone", kDirectory, 0700, kSelf, kFine},
      {"directory 0711", "accounts of database servers pass through", kDirectory, 0711, kSelf, kFine},
      {"directory 0750", "a group that was let in", kDirectory, 0750, kSelf, kFine},
      {"directory 0755", "as mkdir makes it", kDirectory, 0755, kSelf, kTighten},
      {"directory 0777", "files in it are looked at one by one", kDirectory, 0777, kSelf, kTighten},
      {"directory 0770", "a group may replace files", kDirectory, 0770, kSelf, kTighten},
      {"directory 2775 of root", "a mounted volume: its mode is not ours", kDirectory, 02775, 0, kRefuse},
      {"directory 0750 of root", "given to our group", kDirectory, 0750, 0, kFine},
      {"directory of another", "its owner can replace files", kDirectory, 0755, kOther, kRefuse},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(judge_private(row.kind, row.mode, row.owner, row.self), row.want) << row.name << ": " << row.reason;
  }
}

class PrivateFileTest : public ::testing::Test {
 protected:
  PrivateFileTest() { CH_CHECK(::mkdtemp(directory_.data()) != nullptr); }
  ~PrivateFileTest() override { std::filesystem::remove_all(directory_); }

  std::string make(const std::string& name, mode_t mode) const {
    const std::string path = directory_ + "/" + name;
    CH_CHECK(write_file(path, "secret", mode).ok());
    return path;
  }
  std::string make_directory(const std::string& name, mode_t mode) const {
    const std::string path = directory_ + "/" + name;
    CH_CHECK(::mkdir(path.c_str(), 0700) == 0 && ::chmod(path.c_str(), mode) == 0);
    return path;
  }
  static mode_t mode_of(const std::string& path) {
    struct stat info {};
    CH_CHECK(::stat(path.c_str(), &info) == 0);
    return info.st_mode & 07777;
  }

  std::string directory_ = std::filesystem::temp_directory_path() / "chandler-private-XXXXXX";
};

TEST_F(PrivateFileTest, AKeyThatOthersMayReadIsRefusedWithItsRemedy) {
  EXPECT_EQ(read_private_file(make("good", 0600)).value(), "secret");
  const auto path = make("wide", 0644);
  const auto refused = read_private_file(path);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr(path + " (mode 0644)"));
  EXPECT_THAT(refused.error().message, HasSubstr("chmod 600 " + path));
  EXPECT_EQ(mode_of(path), 0644u) << "whoever runs the server has to know";
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  EXPECT_TRUE(read_private_file(path).ok()) << "the remedy helps";
}

TEST_F(PrivateFileTest, ALinkCountsAsWhatItLeadsTo) {
  const std::string link = directory_ + "/link";
  ASSERT_EQ(::symlink(make("wide", 0644).c_str(), link.c_str()), 0);
  EXPECT_FALSE(read_private_file(link).ok());
  ASSERT_EQ(::chmod((directory_ + "/wide").c_str(), 0640), 0);
  EXPECT_EQ(read_private_file(link).value(), "secret");
}

TEST_F(PrivateFileTest, AGivenFileIsReadUnlessAnybodyMayChangeIt) {
  EXPECT_EQ(read_given_file(make("readable", 0644)).value(), "secret");
  const auto refused = read_given_file(make("changeable", 0666));
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("may change " + directory_ + "/changeable (mode 0666)"));
  EXPECT_FALSE(read_given_file(directory_ + "/none").ok());
}

TEST_F(PrivateFileTest, DataIsTakenBackFromReaders) {
  const auto path = make("data", 0644);
  EXPECT_TRUE(secure_file(path).ok());
  EXPECT_EQ(mode_of(path), 0600u);
  EXPECT_FALSE(secure_file(make("changeable", 0606)).ok());
  EXPECT_TRUE(secure_file(directory_ + "/none").ok()) << "what is not there is nobody's";
}

TEST_F(PrivateFileTest, ADirectoryIsMadeOrSecured) {
  ASSERT_TRUE(secure_directory(directory_ + "/a/b").ok());
  EXPECT_EQ(mode_of(directory_ + "/a"), 0700u);
  EXPECT_EQ(mode_of(directory_ + "/a/b"), 0700u);
  const auto wide = make_directory("wide", 0777);
  ASSERT_TRUE(secure_directory(wide, {"lock"}).ok()) << "an empty one is ours";
  EXPECT_EQ(mode_of(wide), 0711u) << "who may pass through still may";
  ASSERT_EQ(::chmod(wide.c_str(), 0750), 0);
  ASSERT_TRUE(secure_directory(wide, {"lock"}).ok());
  EXPECT_EQ(mode_of(wide), 0750u) << "a group was let in";
}

TEST_F(PrivateFileTest, ADirectoryOfSomethingElseIsNotChanged) {
  const auto home = make_directory("home", 0755);
  ASSERT_TRUE(write_file(home + "/letter", "").ok());
  const auto refused = secure_directory(home, {"lock", "chandler.db"});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr(home + " (mode 0755)"));
  EXPECT_THAT(refused.error().message, HasSubstr("chmod 700 " + home));
  EXPECT_EQ(mode_of(home), 0755u);
  ASSERT_TRUE(write_file(home + "/chandler.db", "").ok());
  EXPECT_TRUE(secure_directory(home, {"lock", "chandler.db"}).ok());
  EXPECT_EQ(mode_of(home), 0711u);
}

}  // namespace
}  // namespace chandler
