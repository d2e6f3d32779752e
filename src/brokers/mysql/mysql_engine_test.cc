#include "brokers/mysql/mysql_engine.h"

#include <gtest/gtest.h>

#include "brokers/database/database_fixture.h"
#include "brokers/derived_name.h"

namespace chandler::brokers {
namespace {

class MysqlEngineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!make_mysql_engine()->is_installed()) {
      GTEST_SKIP() << "NOT TESTED: MariaDB is not installed; run scripts/install-deps databases";
    }
  }
};

TEST(MysqlPasswordHash, IsTheOneOfTheServer) {
  EXPECT_EQ(mysql_password_hash("password"), "*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19");
}

// '_' in a GRANT stands for any letter: a right on one database would be one on others too.
TEST_F(MysqlEngineTest, AGrantCoversOneDatabase) {
  DatabaseLab lab("mysql");
  const auto spec = lab.instance("wildcards_%", kMysqlPlanId);
  ASSERT_TRUE(lab.create(spec).ok());
  const auto credentials = lab.bind(spec, "_%").value();
  const std::string database = json::string_or(credentials, "database");
  EXPECT_EQ(database.find_first_of("_%\\`'"), std::string::npos);
  const auto grants = lab.client(credentials)->query("SHOW GRANTS").value();
  for (const auto& row : grants) {
    EXPECT_EQ(row[0].find("GRANT OPTION"), std::string::npos) << row[0];
    EXPECT_TRUE(row[0].starts_with("GRANT USAGE ON *.*") ||
                row[0].starts_with("GRANT ALL PRIVILEGES ON `" + database + "`.*"))
        << row[0];
  }
  EXPECT_EQ(lab.client(credentials)->query("SHOW DATABASES").value(), (Rows{{database}, {"information_schema"}}));
  EXPECT_TRUE(lab.remove(spec).ok());
}

TEST_F(MysqlEngineTest, NothingOfTheServerCanBeTouched) {
  DatabaseLab lab("mysql");
  const auto spec = lab.instance("server", kMysqlPlanId);
  ASSERT_TRUE(lab.create(spec).ok());
  const auto client = lab.client(lab.bind(spec, "b").value()).value();
  for (const char* sql :
       {"SET GLOBAL max_connections = 1", "SELECT * FROM mysql.user", "SHUTDOWN", "FLUSH PRIVILEGES",
        "SELECT 'x' INTO OUTFILE '/tmp/chandler-outfile'", "INSTALL SONAME 'ha_example'",
        "LOAD DATA INFILE '/etc/passwd' INTO TABLE t", "SET ROLE chandler", "SHOW BINARY LOGS",
        "CREATE DEFINER = chandler@'127.0.0.1' VIEW v AS SELECT 1", "GRANT SELECT ON *.* TO CURRENT_USER",
        "CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (HOST '127.0.0.1')"}) {
    EXPECT_FALSE(client.can(sql)) << sql;
  }
  const auto admin = lab.admin();
  EXPECT_TRUE(client.can("KILL HARD USER chandler")) << "ends the sessions that it may end, which are none";
  EXPECT_TRUE(admin.can("SELECT 1"));
  EXPECT_EQ(client.query("SELECT LOAD_FILE('/etc/passwd')").value(), (Rows{{""}}));
  EXPECT_EQ(client.query("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = 'chandler'").value(),
            (Rows{{"0"}}));
  EXPECT_TRUE(lab.remove(spec).ok());
}

TEST_F(MysqlEngineTest, AServersLoginCannotRaiseItself) {
  DatabaseLab lab("mysql");
  const auto spec = lab.instance("whole", kMysqlServerPlanId, "{}");
  ASSERT_TRUE(lab.create(spec).ok());
  const auto client = lab.client(lab.bind(spec, "b").value()).value();
  for (const char* sql : {"CREATE DATABASE mine", "CREATE TABLE mine.t (id INT)", "INSERT INTO mine.t VALUES (1)",
                          "DROP DATABASE mine", "FLUSH PRIVILEGES"}) {
    EXPECT_TRUE(client.can(sql)) << sql;
  }
  for (const char* sql : {"SELECT Priv FROM mysql.global_priv", "UPDATE mysql.global_priv SET Priv = '{}'",
                          "CREATE TABLE mysql.t (id INT)", "DROP DATABASE mysql", "CREATE USER another",
                          "SELECT 1 INTO OUTFILE '/tmp/chandler-outfile'", "SHUTDOWN"}) {
    EXPECT_FALSE(client.can(sql)) << sql;
  }
  EXPECT_TRUE(lab.remove(spec).ok());
}

TEST_F(MysqlEngineTest, TheCharacterSetIsThatOfTheParameters) {
  DatabaseLab lab("mysql");
  const auto spec = lab.instance("charset", kMysqlPlanId, R"({"characterSet":"latin1"})");
  ASSERT_TRUE(lab.create(spec).ok());
  const auto credentials = lab.bind(spec, "b").value();
  EXPECT_EQ(lab.client(credentials)->query("SELECT @@character_set_database").value(), (Rows{{"latin1"}}));
  EXPECT_FALSE(lab.service().check_create(lab.instance("x", kMysqlPlanId, R"({"characterSet":"x; DROP"})")).ok());
  EXPECT_TRUE(lab.remove(spec).ok());
}

// docs/guides/use-your-database-servers.md tells operators to give these rights, and no more.
TEST_F(MysqlEngineTest, AnAdminNeedsFewRights) {
  auto server = shared_server("mysql").address();
  auto root = MysqlSession::connect(server).value();
  for (const char* sql :
       {"CREATE OR REPLACE USER limited@'%' IDENTIFIED BY 'limited'",
        "GRANT CREATE USER, CONNECTION ADMIN, PROCESS ON *.* TO limited@'%'", "GRANT SELECT ON mysql.db TO limited@'%'",
        "GRANT ALL PRIVILEGES ON `d%`.* TO limited@'%' WITH GRANT OPTION"}) {
    const auto ran = root.run(sql);
    ASSERT_TRUE(ran.ok()) << ran.error().message;
  }
  server.username = "limited";
  server.password = "limited";
  const auto engine = make_mysql_engine();
  Tenant tenant;
  tenant.key = derived_name("", "limited");
  tenant.settings = read_parameters(engine->offer().plan(kMysqlPlanId)->parameters, json::Object()).value();
  const Login login{derived_name("u", "limited"), "Password1", "admin"};
  const auto expect_ok = [](const Result<void>& result) {
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  };
  expect_ok(engine->create_tenant(server, tenant));
  expect_ok(engine->create_login(server, tenant, login));
  auto as_tenant = server;
  as_tenant.username = login.username;
  as_tenant.password = login.password;
  auto session = MysqlSession::connect(as_tenant, tenant.name('d'));
  ASSERT_TRUE(session.ok()) << session.error().message;
  expect_ok(session->run("CREATE TABLE t (id INT)"));
  expect_ok(engine->create_tenant(server, tenant));  // as for an update
  expect_ok(engine->drop_login(server, tenant, login.username));
  EXPECT_FALSE(session->run("SELECT 1").ok());
  expect_ok(engine->drop_tenant(server, tenant));
  expect_ok(root.run("DROP USER limited@'%'"));
}

}  // namespace
}  // namespace chandler::brokers
