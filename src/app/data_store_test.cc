#include "app/data_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/temp_directory.h"

namespace chandler::app {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class DataStoreTest : public ::testing::Test {
 protected:
  std::string fault(const std::string& durability) {
    metrics::Registry metrics;
    const auto opened = open_data_store(directory_.path(), durability, metrics);
    return opened.ok() ? "opened" : opened.error().message;
  }
  const storage::TempDirectory directory_;
};

TEST_F(DataStoreTest, TheModeInForceIsShown) {
  for (const auto* mode : {"memory", "normal", "full"}) {
    metrics::Registry metrics;
    const auto opened = open_data_store(directory_.path(), mode, metrics);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    EXPECT_THAT(metrics.text(), HasSubstr(std::string("chandler_store_durability{mode=\"") + mode + "\"} 1"));
    EXPECT_THAT(metrics.text(), HasSubstr("chandler_store_revision"));
    EXPECT_EQ(fault("full").find("the data directory"), 0u) << "it is taken";
  }
}

TEST_F(DataStoreTest, AModeThatThereIsNotIsNamed) { EXPECT_THAT(fault("fast"), HasSubstr("none of full, normal")); }

TEST_F(DataStoreTest, DataOnDiskIsNotHiddenByAStoreInMemory) {
  ASSERT_EQ(fault("full"), "opened");
  EXPECT_THAT(fault("memory"), HasSubstr("holds data"));
}

TEST_F(DataStoreTest, AnEmptiedDatabaseIsNotTakenForANewOne) {
  ASSERT_EQ(fault("full"), "opened");
  ASSERT_TRUE(make_directories(directory_.path() + "/pki").ok());
  ASSERT_TRUE(write_file(directory_.path() + "/pki/ca.crt", "x").ok());
  ASSERT_EQ(fault("full"), "opened");
  ASSERT_TRUE(write_file(directory_.path() + "/chandler.db", "").ok());
  EXPECT_THAT(fault("full"), HasSubstr("is empty, but this directory was in use"));
}

TEST_F(DataStoreTest, KeyFilesAreThoseThatAreThere) {
  EXPECT_THAT(read_key_files(directory_.path()).value(), SizeIs(0));
  ASSERT_TRUE(write_file(directory_.path() + "/encryption.keys", "k").ok());
  const auto files = read_key_files(directory_.path()).value();
  ASSERT_THAT(files, SizeIs(1));
  EXPECT_EQ(files[0].name, "encryption.keys");
  EXPECT_EQ(files[0].content, "k");
}

}  // namespace
}  // namespace chandler::app
