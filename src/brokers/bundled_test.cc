#include "brokers/bundled.h"

#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"
#include "brokers/mysql/mysql_engine.h"
#include "brokers/postgresql/postgresql_engine.h"
#include "brokers/redis/redis_engine.h"
#include "brokers/temp_directory_fixture.h"
#include "http/test_client.h"
#include "json/reader.h"

namespace chandler::brokers {
namespace {

http::testing::Answer get_catalog(const BundledBrokers& bundled, const std::string& password) {
  const auto port = parse_uint64(bundled.url().substr(bundled.url().rfind(':') + 1)).value();
  http::testing::Client client(static_cast<uint16_t>(port));
  client.send("GET /v2/catalog HTTP/1.1\r\nHost: x\r\nX-Broker-API-Version: 2.17\r\nAuthorization: Basic " +
              base64_encode(bundled.username() + ":" + password) + "\r\n\r\n");
  return client.receive();
}

int catalog_status(const BundledBrokers& bundled, const std::string& password) {
  return get_catalog(bundled, password).status;
}

TEST(BundledBrokers, ServeWithAPasswordOfTheirOwnAtEachStart) {
  const TempDirectory directory;
  std::string first;
  {
    const auto bundled = BundledBrokers::start(directory.path(), {}).value();
    first = bundled->password();
    EXPECT_GE(first.size(), 32u);
    EXPECT_EQ(catalog_status(*bundled, first), 200);
    EXPECT_EQ(catalog_status(*bundled, "guess"), 401);
    bundled->stop();
    bundled->stop();
  }
  const auto again = BundledBrokers::start(directory.path(), {}).value();
  EXPECT_NE(again->password(), first);
  EXPECT_EQ(catalog_status(*again, again->password()), 200);
}

TEST(BundledBrokers, TwoCannotShareADirectory) {
  const TempDirectory directory;
  const auto one = BundledBrokers::start(directory.path(), {});
  ASSERT_TRUE(one.ok());
  const auto two = BundledBrokers::start(directory.path(), {});
  ASSERT_FALSE(two.ok());
  EXPECT_NE(two.error().message.find("broker.lock"), std::string::npos) << two.error().message;
}

TEST(BundledBrokers, OneCatalogHasAllServicesAndNoServerRunsUnasked) {
  const TempDirectory directory;
  const auto bundled = BundledBrokers::start(directory.path(), {}).value();
  const auto document = json::parse(get_catalog(*bundled, bundled->password()).body).value();
  std::set<std::string> names;
  std::set<std::string> suggested;  // types that have a plan when nothing but the type is given
  for (const auto& service : *json::array_at(document, "services")) {
    names.insert(json::string_or(service, "name"));
    for (const auto& plan : *json::array_at(service, "plans")) {
      std::string type;
      bool is_suggested = false;
      for (const auto& tag : *json::array_at(*json::find(plan, "metadata"), "tags")) {
        const auto text = json::view(tag.as_string());
        if (text.starts_with("ServiceType=")) type = text.substr(12);
        is_suggested = is_suggested || text == "SuggestedPlan=true";
      }
      if (is_suggested && !type.empty()) {
        EXPECT_TRUE(suggested.insert(type).second) << "two suggested plans for type " << type;
      }
    }
  }
  std::set<std::string> expected = {"sqlite"};
  if (make_mysql_engine()->is_installed()) {
    expected.insert("mysql");
    for (const auto* type : {"mysql", "mysql-server-only", "mysql-database-only", "mysql-database-and-server"}) {
      EXPECT_TRUE(suggested.contains(type)) << type;
    }
  }
  if (make_postgresql_engine()->is_installed()) expected.insert("postgresql");
  if (make_redis_engine()->is_installed()) expected.insert("redis");
  EXPECT_EQ(names, expected);
  for (const auto& name : expected) {
    if (name == "sqlite") continue;
    EXPECT_TRUE(std::filesystem::is_empty(directory.path() + "/" + name + "/servers")) << name;
  }
}

TEST(BundledBrokers, WhatWasAskedForAndCannotBeHadIsAnError) {
  const TempDirectory directory;
  const struct {
    const char* reason;
    BundledOptions options;
    const char* says;
  } rows[] = {
      {"there is no such service", {{}, {"oracle"}, ""}, "sqlite, mysql, postgresql, redis"},
      {"an admin URL must be one", {{"mysql://nobody", "", ""}, {}, ""}, "--mysql-admin-url"},
  };
  for (const auto& row : rows) {
    const auto started = BundledBrokers::start(directory.path(), {}, row.options);
    ASSERT_FALSE(started.ok()) << row.reason;
    EXPECT_NE(started.error().message.find(row.says), std::string::npos) << row.reason << started.error().message;
  }
}

TEST(BundledBrokers, OneServiceOutOfOrderDoesNotStopTheOthers) {
  if (!make_redis_engine()->is_installed()) GTEST_SKIP() << "NOT TESTED: Redis is not installed";
  const TempDirectory directory;
  const std::string server = directory.path() + "/redis/servers/shared";
  ASSERT_TRUE(make_directories(server).ok());
  ASSERT_TRUE(write_file(server + "/server.json", "{}").ok());
  const auto bundled = BundledBrokers::start(directory.path(), {});
  ASSERT_TRUE(bundled.ok()) << bundled.error().message;
  const auto catalog = get_catalog(**bundled, (*bundled)->password()).body;
  EXPECT_NE(catalog.find("\"sqlite\""), std::string::npos);
  EXPECT_EQ(catalog.find("\"redis\""), std::string::npos);
  EXPECT_TRUE(file_exists(server + "/server.json")) << "what is damaged is left for whoever mends it";
}

}  // namespace
}  // namespace chandler::brokers
