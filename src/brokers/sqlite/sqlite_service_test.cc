#include "brokers/sqlite/sqlite_service.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "brokers/derived_name.h"
#include "brokers/sqlite/sqlite_catalog.h"
#include "brokers/temp_directory_fixture.h"
#include "json/reader.h"
#include "json/writer.h"
#include "osb/server/catalog.h"
#include "osb/server/sqlite.h"

namespace chandler::brokers {
namespace {

using osb::server::BindingSpec;
using osb::server::InstanceSpec;
using osb::server::Sqlite;
using ::testing::HasSubstr;
using ::testing::StartsWith;

void ignore_progress(const std::string&) {}

class SqliteServiceTest : public ::testing::Test {
 protected:
  InstanceSpec instance(std::string_view plan, const std::string& parameters = "{}") const {
    InstanceSpec spec;
    spec.id = "0b2e-instance";
    spec.service_id = kSqliteServiceId;
    spec.plan_id = plan;
    spec.parameters = json::parse(parameters).value();
    return spec;
  }
  static unsigned mode_of(const std::string& path) {
    struct stat info {};
    EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
    return info.st_mode & 07777;
  }
  std::string path() const { return sqlite_database_path(directory_.path() + "/databases", "0b2e-instance"); }

  const TempDirectory directory_;
  const std::unique_ptr<osb::server::Service> service_ = open_sqlite_service(directory_.path() + "/databases").value();
};

TEST_F(SqliteServiceTest, ItsCatalogIsWellFormed) {
  const auto catalog = osb::server::Catalog::read(sqlite_catalog());
  ASSERT_TRUE(catalog.ok()) << catalog.error().message;
  for (const auto id : {kSqliteDefaultPlanId, kSqliteLargePlanId}) {
    const auto* plan = catalog->plan(kSqliteServiceId, id);
    ASSERT_NE(plan, nullptr);
    for (const auto* schema : {plan->create_schema, plan->update_schema, plan->bind_schema}) {
      ASSERT_NE(schema, nullptr);
      EXPECT_NE(json::string_or(*schema, "$schema"), "");
    }
    InstanceSpec suggested = instance(id);
    suggested.parameters = *json::find(*plan->metadata, "defaultProvisionParameters");
    EXPECT_TRUE(sqlite_limits(suggested).ok()) << "what is suggested must work";
  }
}

TEST_F(SqliteServiceTest, AnInstanceIsADatabaseForItsOwnerOnly) {
  const auto spec = instance(kSqliteDefaultPlanId, R"({"journalMode":"wal","maxSizeMiB":8})");
  ASSERT_TRUE(service_->create_instance(spec, ignore_progress).ok());
  ASSERT_TRUE(service_->create_instance(spec, ignore_progress).ok()) << "repeatable";
  EXPECT_EQ(mode_of(path()), 0600u);
  EXPECT_EQ(mode_of(std::filesystem::path(path()).parent_path()), 0700u);
  EXPECT_EQ(path().find("0b2e"), std::string::npos) << "names are never those of clients";
  auto database = Sqlite::open(path()).value();
  std::string mode;
  ASSERT_TRUE(database
                  .run("PRAGMA journal_mode", {},
                       [&](const osb::server::SqlRow& row) -> Result<void> {
                         mode = row.text(0);
                         return {};
                       })
                  .ok());
  EXPECT_EQ(mode, "wal");
  EXPECT_TRUE(database.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)").ok());
}

TEST_F(SqliteServiceTest, CredentialsSayWhereTheDatabaseIs) {
  const auto spec = instance(kSqliteDefaultPlanId);
  ASSERT_TRUE(service_->create_instance(spec, ignore_progress).ok());
  BindingSpec binding;
  binding.id = "b";
  binding.parameters = json::Object{{"readOnly", true}};
  const auto made = service_->create_binding(spec, binding, ignore_progress);
  ASSERT_TRUE(made.ok());
  const auto& credentials = *json::find(*made, "credentials");
  EXPECT_EQ(json::string_or(credentials, "path"), path());
  EXPECT_EQ(json::string_or(credentials, "uri"), "sqlite://" + path() + "?mode=ro");
  EXPECT_EQ(json::string_or(credentials, "type"), "sqlite");
  EXPECT_EQ(json::string_or(credentials, "provider"), "chandler");
  EXPECT_EQ(json::int_at(credentials, "maxPageCount"), 16 * 256);
  EXPECT_EQ(service_->create_binding(spec, binding, ignore_progress).value(), *made) << "reproducible";
}

TEST_F(SqliteServiceTest, TheLargePlanReservesSpaceStepByStep) {
  std::vector<std::string> told;
  const auto spec = instance(kSqliteLargePlanId, R"({"reserveMiB":4})");
  const auto made = service_->create_instance(spec, [&](std::string text) { told.push_back(std::move(text)); });
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(*made, "1 MiB of 64 MiB used");
  EXPECT_EQ(told.front(), "reserved 0 of 4 MiB");
  EXPECT_EQ(told.back(), "reserved 3 of 4 MiB");
  EXPECT_GE(std::filesystem::file_size(path()), 4u << 20);
  told.clear();
  ASSERT_TRUE(service_->create_instance(spec, [&](std::string text) { told.push_back(std::move(text)); }).ok());
  EXPECT_TRUE(told.empty()) << "it is there already";
}

TEST_F(SqliteServiceTest, AShrinkBelowWhatIsUsedIsRefused) {
  const auto large = instance(kSqliteLargePlanId, R"({"maxSizeMiB":20,"reserveMiB":0})");
  ASSERT_TRUE(service_->create_instance(large, ignore_progress).ok());
  {
    auto database = Sqlite::open(path()).value();
    ASSERT_TRUE(database.execute("CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(3000000))").ok());
  }
  const auto tight = instance(kSqliteDefaultPlanId, R"({"maxSizeMiB":2})");
  const auto refused = service_->check_update(large, tight);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().http(), 422);
  EXPECT_THAT(refused.error().message, HasSubstr("3 MiB"));
  EXPECT_TRUE(service_->check_update(large, instance(kSqliteDefaultPlanId, R"({"maxSizeMiB":4})")).ok());
  EXPECT_EQ(service_->check_update(large, instance(kSqliteDefaultPlanId, R"({"maxSizeMiB":65})")).error().http(), 422)
      << "more than the plan allows";
}

TEST_F(SqliteServiceTest, LessSpaceIsGivenBackByAChange) {
  ASSERT_TRUE(service_->create_instance(instance(kSqliteLargePlanId, R"({"reserveMiB":6})"), ignore_progress).ok());
  const auto small = instance(kSqliteDefaultPlanId, R"({"maxSizeMiB":2})");
  const auto changed = service_->update_instance(instance(kSqliteLargePlanId), small, ignore_progress);
  ASSERT_TRUE(changed.ok()) << changed.error().message;
  EXPECT_LT(std::filesystem::file_size(path()), 2u << 20);
}

TEST_F(SqliteServiceTest, ADeletedInstanceIsGone) {
  const auto spec = instance(kSqliteDefaultPlanId);
  ASSERT_TRUE(service_->create_instance(spec, ignore_progress).ok());
  EXPECT_TRUE(service_->delete_instance(spec, ignore_progress).ok());
  EXPECT_TRUE(service_->delete_instance(spec, ignore_progress).ok()) << "repeatable";
  EXPECT_FALSE(file_exists(path()));
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path() + "/databases/trash"));
}

TEST_F(SqliteServiceTest, WhatADeletionLeftIsRemovedAtTheNextStart) {
  const std::string leftover = directory_.path() + "/databases/trash/i2345-abc";
  std::filesystem::create_directories(leftover);
  ASSERT_TRUE(write_file(leftover + "/database.sqlite3", "x").ok());
  ASSERT_TRUE(open_sqlite_service(directory_.path() + "/databases").ok());
  EXPECT_FALSE(file_exists(leftover));
}

TEST_F(SqliteServiceTest, ParametersAreCheckedWithoutASchemaToo) {
  struct Row {
    const char* reason;
    const char* parameters;
    const char* named;
  };
  for (const auto& row :
       {Row{"unknown", R"({"size":1})", "size"}, Row{"not a mode", R"({"journalMode":"off"})", "journalMode"},
        Row{"wrong type", R"({"journalMode":1})", "journalMode"},
        Row{"too large", R"({"maxSizeMiB":65})", "maxSizeMiB"}, Row{"too small", R"({"maxSizeMiB":0})", "maxSizeMiB"},
        Row{"no integer", R"({"maxSizeMiB":"8"})", "maxSizeMiB"},
        Row{"more than the limit", R"({"maxSizeMiB":2,"reserveMiB":3})", "reserveMiB"}}) {
    const auto checked = service_->check_create(instance(kSqliteDefaultPlanId, row.parameters));
    ASSERT_FALSE(checked.ok()) << row.reason;
    EXPECT_EQ(checked.error().http(), 400) << row.reason;
    EXPECT_THAT(checked.error().message, StartsWith(std::string("parameters.") + row.named)) << row.reason;
  }
}

TEST(DerivedName, IsSafeShortAndStable) {
  const auto name = derived_name("i", "../../x");
  EXPECT_EQ(name.size(), 25u);
  EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz234567"), std::string::npos) << name;
  EXPECT_EQ(name, derived_name("i", "../../x"));
  EXPECT_NE(name, derived_name("i", "../../y"));
}

}  // namespace
}  // namespace chandler::brokers
