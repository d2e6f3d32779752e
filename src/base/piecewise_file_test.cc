#include "base/piecewise_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"

namespace chandler {
namespace {

using ::testing::HasSubstr;

class PiecewiseFileTest : public ::testing::Test {
 protected:
  PiecewiseFileTest() { CH_CHECK(::mkdtemp(directory_.data()) != nullptr); }
  ~PiecewiseFileTest() override { std::filesystem::remove_all(directory_); }

  std::string directory_ = std::filesystem::temp_directory_path() / "chandler-pieces-XXXXXX";
};

TEST_F(PiecewiseFileTest, AFileHasItsNameOnlyWhenItIsComplete) {
  const std::string path = directory_ + "/file";
  {
    auto writer = FileWriter::create(path, 0600).value();
    ASSERT_TRUE(writer.write("one ").ok());
    ASSERT_TRUE(writer.write("two").ok());
    EXPECT_FALSE(file_exists(path));
    ASSERT_TRUE(writer.finish().ok());
  }
  EXPECT_EQ(read_file(path).value(), "one two");
  EXPECT_FALSE(file_exists(path + ".tmp"));
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(PiecewiseFileTest, WhatIsGivenUpLeavesTheOldFileAndNothingElse) {
  const std::string path = directory_ + "/file";
  ASSERT_TRUE(write_file(path, "old").ok());
  {
    auto writer = FileWriter::create(path, 0600).value();
    ASSERT_TRUE(writer.write("new").ok());
  }
  EXPECT_EQ(read_file(path).value(), "old");
  EXPECT_FALSE(file_exists(path + ".tmp"));
}

TEST_F(PiecewiseFileTest, LeftoversOfAKilledProcessAreOverwrittenAndAWriterAtWorkIsNot) {
  const std::string path = directory_ + "/file";
  ASSERT_TRUE(write_file(path + ".tmp", "half of something longer").ok());
  auto writer = FileWriter::create(path, 0600).value();
  const auto second = FileWriter::create(path, 0600);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message, HasSubstr("is being written by another process"));
  ASSERT_TRUE(writer.write("whole").ok());
  ASSERT_TRUE(writer.finish().ok());
  EXPECT_EQ(read_file(path).value(), "whole");
}

TEST_F(PiecewiseFileTest, APlaceThatIsNotThereIsNamed) {
  const auto writer = FileWriter::create(directory_ + "/nowhere/file", 0600);
  ASSERT_FALSE(writer.ok());
  EXPECT_THAT(writer.error().message, HasSubstr("/nowhere/file.tmp"));
  const auto read = read_pieces(directory_ + "/nothing", [](std::string_view) { return Result<void>(); });
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().message, HasSubstr("/nothing"));
}

TEST_F(PiecewiseFileTest, AScratchFileHasNoName) {
  auto file = ScratchFile::create(directory_).value();
  ASSERT_TRUE(file.write("hello ").ok());
  ASSERT_TRUE(file.write("world").ok());
  EXPECT_EQ(file.size(), 11u);
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
  std::string piece;
  ASSERT_TRUE(file.read(3, 5, piece).ok());
  EXPECT_EQ(piece, "lo wo");
  ASSERT_TRUE(file.read(11, 5, piece).ok());
  EXPECT_EQ(piece, "");
}

TEST_F(PiecewiseFileTest, PiecesAreTheWholeFileAndAnErrorEndsThem) {
  const std::string path = directory_ + "/large";
  const std::string content(1'000'000, 'x');
  ASSERT_TRUE(write_file(path, content).ok());
  std::string read;
  size_t pieces = 0;
  ASSERT_TRUE(read_pieces(path, [&](std::string_view piece) {
                read += piece;
                ++pieces;
                return Result<void>();
              }).ok());
  EXPECT_EQ(read, content);
  EXPECT_GT(pieces, 1u);
  size_t calls = 0;
  const auto ended = read_pieces(path, [&](std::string_view) -> Result<void> {
    ++calls;
    return bad_request("enough");
  });
  EXPECT_EQ(ended.error().message, "enough");
  EXPECT_EQ(calls, 1u);
}

}  // namespace
}  // namespace chandler
