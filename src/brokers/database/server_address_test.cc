#include "brokers/database/server_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace chandler::brokers {
namespace {

TEST(ParseAdminUrl, ReadsWhatItShould) {
  const auto plain = parse_admin_url("mysql://root:p%40ss@db.example.com", "mysql", 3306, "--mysql-admin-url").value();
  EXPECT_EQ(plain.host, "db.example.com");
  EXPECT_EQ(plain.port, 3306);
  EXPECT_EQ(plain.username, "root");
  EXPECT_EQ(plain.password, "p@ss");
  EXPECT_EQ(plain.tls, TlsMode::kOff);
  const auto full =
      parse_admin_url("mysql://a:b@[::1]:33/?sslmode=verify-full&sslrootcert=/etc/ca.pem", "mysql", 3306, "x").value();
  EXPECT_EQ(full.host, "::1");
  EXPECT_EQ(full.port, 33);
  EXPECT_EQ(full.tls, TlsMode::kVerify);
  EXPECT_EQ(full.ca_file, "/etc/ca.pem");
  const auto moved =
      parse_admin_url("mysql://a:b@new?moved-from=old:3306&moved-from=older%3A33", "mysql", 3306, "x").value();
  for (const auto* label : {"new:3306", "old:3306", "older:33"}) EXPECT_TRUE(moved.is_called(label)) << label;
  for (const auto* label : {"old:33", "old", ""}) EXPECT_FALSE(moved.is_called(label)) << label;
}

TEST(ParseAdminUrl, RefusesTheRestWithoutTellingThePassword) {
  const struct {
    const char* reason;
    const char* url;
  } rows[] = {
      {"another scheme", "redis://a:s3cret@h"},
      {"no password", "mysql://a@h"},
      {"an empty password", "mysql://a:@h"},
      {"no user", "mysql://h"},
      {"an empty user", "mysql://:s3cret@h"},
      {"no host", "mysql://a:s3cret@"},
      {"a port that is none", "mysql://a:s3cret@h:x"},
      {"a port out of bounds", "mysql://a:s3cret@h:70000"},
      {"a host that is none", "mysql://a:s3cret@h/../x"},
      {"a database, which we do not use", "mysql://a:s3cret@h/db"},
      {"a bad escape", "mysql://a:s3cret%zz@h"},
      {"an unknown setting", "mysql://a:s3cret@h?tls=1"},
      {"an unknown value", "mysql://a:s3cret@h?sslmode=perhaps"},
  };
  for (const auto& row : rows) {
    const auto parsed = parse_admin_url(row.url, "mysql", 3306, "--mysql-admin-url");
    ASSERT_FALSE(parsed.ok()) << row.reason;
    EXPECT_THAT(parsed.error().message, ::testing::HasSubstr("--mysql-admin-url")) << row.reason;
    EXPECT_EQ(parsed.error().message.find("s3cret"), std::string::npos) << row.reason;
  }
}

}  // namespace
}  // namespace chandler::brokers
