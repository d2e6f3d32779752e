// Damage of every sort that can be made with SQL or a byte, and what is said about it and saved from it.
#include "storage/embedded/verifier.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "storage/embedded/embedded_store.h"
#include "storage/temp_directory.h"

namespace chandler::storage {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class VerifierTest : public ::testing::Test {
 protected:
  VerifierTest() {
    const auto store = open();
    for (int i = 0; i < 50; ++i) {
      EXPECT_TRUE(store->commit_and_wait({fmt::format("core/configmaps/default/c{:02}", i), body(i)}).ok());
    }
    EXPECT_TRUE(store->commit_and_wait({kSecret, keyring_.seal("{}", kSecret)}).ok());
    EXPECT_TRUE(store->commit_and_wait({"core/configmaps/default/c00", "{\"new\":1}"}).ok());
    EXPECT_TRUE(store->commit_and_wait({"core/configmaps/default/c01", std::nullopt}).ok());
  }

  static std::string body(int i) { return fmt::format("{{\"i\":{},\"pad\":\"{}\"}}", i, std::string(300, 'p')); }
  std::unique_ptr<Store> open() {
    EmbeddedOptions options;
    options.directory = directory_.path();
    return EmbeddedStore::open(options).value();
  }
  void sql(const std::string& text) {
    auto database = Database::open(file_, "").value();
    const auto done = database.execute(text.c_str());
    ASSERT_TRUE(done.ok()) << done.error().message;
  }
  VerifyOptions options() const {
    VerifyOptions verify;
    verify.directory = directory_.path();
    verify.keyring = &keyring_;
    verify.check_value = [](std::string_view, std::string_view plain) -> std::optional<std::string> {
      return plain.starts_with("{") ? std::nullopt : std::optional<std::string>("it is no JSON object");
    };
    return verify;
  }
  VerifyReport verify() {
    saved_.clear();
    auto report = verify_database(options(), [this](Revision revision, std::string_view key, std::string_view value) {
      saved_[std::string(key)] = {std::string(key), std::string(value), revision};
      return Result<void>();
    });
    EXPECT_TRUE(report.ok()) << report.error().message;
    return report.ok() ? *report : VerifyReport();
  }

  static constexpr const char* kSecret = "core/secrets/default/s";
  const TempDirectory directory_;
  const std::string file_ = directory_.path() + "/chandler.db";
  const Keyring keyring_ = Keyring::open(directory_.path() + "/encryption.keys").value();
  std::map<std::string, Entry> saved_;
};

TEST_F(VerifierTest, ASoundDatabaseIsCounted) {
  const auto report = verify();
  EXPECT_THAT(report.faults, IsEmpty());
  EXPECT_EQ(report.fault_count, 0);
  EXPECT_EQ(report.live, 50);
  EXPECT_EQ(report.rows, 53);
  EXPECT_EQ(report.history, 3);
  EXPECT_EQ(report.marks.newest, 53);
  EXPECT_EQ(report.sealed.at(keyring_.newest()), 1);
  EXPECT_EQ(saved_.size(), 50u);
  EXPECT_EQ(saved_.at("core/configmaps/default/c00").value, "{\"new\":1}");
  EXPECT_FALSE(saved_.contains("core/configmaps/default/c01"));
}

TEST_F(VerifierTest, ReadingChangesNoFile) {
  const auto before = read_file(file_).value();
  verify();
  EXPECT_EQ(read_file(file_).value(), before);
  EXPECT_FALSE(file_exists(file_ + "-wal"));
  EXPECT_FALSE(file_exists(file_ + "-shm"));
}

TEST_F(VerifierTest, EveryKindOfDamageIsNamed) {
  struct Row {
    const char* reason;
    const char* damage;
    const char* fault;
    size_t lost;
    size_t saved;
  };
  const Row rows[] = {
      {"a changed value", "UPDATE log SET body = CAST('{\"evil\":1}' AS BLOB) WHERE rev = 5",
       "revision 5 (core/configmaps/default/c04): its check sum is wrong", 1, 49},
      {"a value under another key", "UPDATE log SET key = 'core/secrets/default/t' WHERE rev = 51",
       "revision 51 (core/secrets/default/t): its check sum is wrong", 1, 49},
      {"a row that is gone", "DELETE FROM log WHERE rev = 30", "its revision 30 is not in the log", 1, 49},
      {"a hole in the history", "DELETE FROM log WHERE rev = 30", "revision 30 is missing", 1, 49},
      {"an object that is not listed", "DELETE FROM cur WHERE key = 'core/configmaps/default/c07'",
       "core/configmaps/default/c07: revision 8 is in the log, but not in table cur", 0, 50},
      {"an object that was deleted is listed", "INSERT INTO cur VALUES ('core/configmaps/default/c01', 53)",
       "its revision 53 is a deletion", 1, 50},
      {"an old state is listed as the present", "UPDATE cur SET rev = 1 WHERE key = 'core/configmaps/default/c00'",
       "table cur says revision 1, the log says 52", 1, 49},
      {"marks that cannot be", "UPDATE meta SET value = 9 WHERE name = 'trimmed'", "trimmed 9 is beyond floor 0", 0,
       50},
  };
  const auto sound = read_file(file_).value();
  for (const auto& row : rows) {
    SCOPED_TRACE(row.reason);
    ASSERT_TRUE(write_file(file_, sound, 0600).ok());
    sql(row.damage);
    const auto report = verify();
    EXPECT_GT(report.fault_count, 0);
    EXPECT_THAT(report.faults, Contains(HasSubstr(row.fault)));
    EXPECT_EQ(report.lost.size(), row.lost);
    EXPECT_EQ(saved_.size(), row.saved);
  }
}

TEST_F(VerifierTest, ASealedValueNeedsItsKey) {
  const TempDirectory elsewhere;
  const auto other = Keyring::open(elsewhere.path() + "/keys").value();
  auto verify = options();
  verify.keyring = &other;
  auto report = verify_database(verify, {}).value();
  EXPECT_THAT(report.faults, Contains(HasSubstr("which the key file does not hold")));
  verify.keyring = nullptr;
  report = verify_database(verify, {}).value();
  EXPECT_THAT(report.faults, Contains(HasSubstr("there is no key file")));
  EXPECT_THAT(report.lost, ElementsAre(kSecret));
}

TEST_F(VerifierTest, FaultsAreCountedAndTheFirstAreDescribed) {
  sql("UPDATE log SET crc = crc + 1");
  auto verify = options();
  verify.max_faults = 3;
  const auto report = verify_database(verify, {}).value();
  EXPECT_EQ(report.faults.size(), 3u);
  EXPECT_GE(report.fault_count, 53);
}

TEST_F(VerifierTest, APageThatIsOverwrittenCostsWhatWasOnItAndNoMore) {
  auto bytes = read_file(file_).value();
  constexpr size_t kPage = 8192;
  ASSERT_GT(bytes.size(), 6 * kPage);
  size_t least_saved = 50;
  for (size_t page = 2; page < bytes.size() / kPage; ++page) {
    SCOPED_TRACE(fmt::format("page {}", page));
    auto damaged = bytes;
    damaged.replace(page * kPage, kPage, std::string(kPage, '\x5a'));
    ASSERT_TRUE(write_file(file_, damaged, 0600).ok());
    const auto report =
        verify_database(options(), [](Revision, std::string_view, std::string_view) { return Result<void>(); });
    if (!report.ok()) continue;  // the page that says whose database this is
    EXPECT_GT(report->fault_count, 0);
    verify();
    least_saved = std::min(least_saved, saved_.size());
    for (const auto& [key, entry] : saved_) EXPECT_TRUE(entry.value.starts_with("{") || key == kSecret) << key;
  }
  EXPECT_LT(least_saved, 50u) << "some page held objects";
}

TEST_F(VerifierTest, AServerThatRunsIsNamed) {
  const auto running = open();
  const auto report = verify_database(options(), {});
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message, HasSubstr("is not free"));
}

TEST_F(VerifierTest, WhatAKilledServerLeftInItsLogIsSeen) {
  // The log as it is while the server runs, without the server.
  const TempDirectory copy;
  {
    const auto running = open();
    ASSERT_TRUE(running->commit_and_wait({"core/configmaps/default/late", "{}"}).ok());
    for (const auto* name : {"chandler.db", "chandler.db-wal"}) {
      std::filesystem::copy_file(directory_.path() + "/" + name, copy.path() + "/" + name);
    }
  }
  auto verify = options();
  verify.directory = copy.path();
  const auto report = verify_database(verify, {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_THAT(report->faults, IsEmpty());
  EXPECT_EQ(report->live, 51);
}

}  // namespace
}  // namespace chandler::storage
