#include "base/file.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/ids.h"

namespace chandler {
namespace {

using ::testing::HasSubstr;

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(directory_); }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  size_t entries() const {
    const std::filesystem::directory_iterator all(directory_);
    return static_cast<size_t>(std::distance(begin(all), end(all)));
  }

 private:
  const std::string directory_ = ::testing::TempDir() + "file_test_" + name_suffix(8);
};

unsigned mode_of(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
  return info.st_mode & 07777;
}

TEST_F(FileTest, ReadsBackWhatWasWritten) {
  const std::string content = std::string("a\0b\n", 4) + std::string(300'000, 'x');
  ASSERT_TRUE(write_file(path("a"), content).ok());
  const auto read = read_file(path("a"));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, content);
}

TEST_F(FileTest, ReadsFilesWhoseSizeTheSystemDoesNotTell) {
  const auto read = read_file("/proc/self/status");
  ASSERT_TRUE(read.ok());
  EXPECT_THAT(*read, HasSubstr("Pid:"));
}

TEST_F(FileTest, ReplacesContentAndModeAndLeavesNothingBeside) {
  ASSERT_TRUE(write_file(path("a"), "old and longer").ok());
  EXPECT_EQ(mode_of(path("a")), 0644u);
  ASSERT_TRUE(write_file(path("a"), "new", 0600).ok());
  EXPECT_EQ(*read_file(path("a")), "new");
  EXPECT_EQ(mode_of(path("a")), 0600u);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FileTest, SetsTheModeWhateverTheUmask) {
  const mode_t before = ::umask(0077);
  const auto written = write_file(path("a"), "", 0664);
  ::umask(before);
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(mode_of(path("a")), 0664u);
}

TEST_F(FileTest, AnOpenReaderKeepsTheOldContent) {
  ASSERT_TRUE(write_file(path("a"), "old").ok());
  FILE* reader = std::fopen(path("a").c_str(), "r");
  ASSERT_NE(reader, nullptr);
  ASSERT_TRUE(write_file(path("a"), "new").ok());
  char buffer[8] = {};
  EXPECT_EQ(std::fread(buffer, 1, sizeof buffer, reader), 3u);
  EXPECT_STREQ(buffer, "old");
  std::fclose(reader);
}

TEST_F(FileTest, LeavesNothingBesideWhenItCannotReplace) {
  ASSERT_TRUE(make_directories(path("a/full")).ok());
  const auto written = write_file(path("a"), "x");
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.error().message, HasSubstr("cannot replace " + path("a") + ": "));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FileTest, ErrorsNameThePathAndTheFault) {
  const auto read = read_file(path("none"));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message, "cannot read " + path("none") + ": No such file or directory");
  EXPECT_EQ(read.error().http(), 500) << "a missing file is no missing object";

  const auto directory = read_file(path(""));
  ASSERT_FALSE(directory.ok());
  EXPECT_THAT(directory.error().message, HasSubstr("Is a directory"));

  const auto written = write_file(path("none/a"), "x");
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.error().message, HasSubstr("No such file or directory"));
}

TEST_F(FileTest, TellsWhetherAFileExists) {
  EXPECT_FALSE(file_exists(path("a")));
  ASSERT_TRUE(write_file(path("a"), "").ok());
  EXPECT_TRUE(file_exists(path("a")));
}

TEST_F(FileTest, MakesDirectoriesWithTheirParents) {
  ASSERT_TRUE(make_directories(path("a/b//c/"), 0700).ok());
  EXPECT_EQ(mode_of(path("a/b/c")), 0700u);
  EXPECT_EQ(mode_of(path("a")), 0700u);
  EXPECT_TRUE(make_directories(path("a/b/c")).ok()) << "it exists already";
  EXPECT_TRUE(make_directories("/").ok());
  EXPECT_FALSE(make_directories("").ok());
}

TEST_F(FileTest, DoesNotTakeAFileForADirectory) {
  ASSERT_TRUE(write_file(path("a"), "").ok());
  const auto made = make_directories(path("a/b"));
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message, HasSubstr("cannot create the directory " + path("a") + ": File exists"));
}

using FileLockTest = FileTest;

TEST_F(FileLockTest, TheSecondHolderLearnsWhoHasIt) {
  const auto first = FileLock::acquire(path("lock"));
  ASSERT_TRUE(first.ok());
  const auto second = FileLock::acquire(path("lock"));
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().message,
            fmt::format("cannot lock {}: process {} holds it; stop that process first", path("lock"), ::getpid()));
}

TEST_F(FileLockTest, IsGivenBackWhenDestroyed) {
  { ASSERT_TRUE(FileLock::acquire(path("lock")).ok()); }
  EXPECT_TRUE(FileLock::acquire(path("lock")).ok());
}

TEST_F(FileLockTest, MovesWithItsOwner) {
  auto first = FileLock::acquire(path("lock"));
  ASSERT_TRUE(first.ok());
  {
    const FileLock moved = std::move(*first);
    EXPECT_FALSE(FileLock::acquire(path("lock")).ok());
  }
  EXPECT_TRUE(FileLock::acquire(path("lock")).ok());
}

TEST_F(FileLockTest, IsFreeAgainAfterItsHolderDied) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto lock = FileLock::acquire(path("lock"));
    ::_exit(lock.ok() ? 0 : 1);  // no destructor runs, as after kill -9
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_TRUE(FileLock::acquire(path("lock")).ok());
}

TEST_F(FileLockTest, SaysWhyItCannotLock) {
  const auto lock = FileLock::acquire(path("none/lock"));
  ASSERT_FALSE(lock.ok());
  EXPECT_THAT(lock.error().message, HasSubstr("No such file or directory"));
}

}  // namespace
}  // namespace chandler
