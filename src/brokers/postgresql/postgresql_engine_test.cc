#include "brokers/postgresql/postgresql_engine.h"

#include <csignal>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "brokers/database/database_fixture.h"
#include "brokers/derived_name.h"
#include "support/eventually.h"

namespace chandler::brokers {
namespace {

using ::chandler::testing::eventually;

class PostgresqlEngineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!make_postgresql_engine()->is_installed()) {
      GTEST_SKIP() << "NOT TESTED: PostgreSQL is not installed; run scripts/install-deps databases";
    }
  }
};

// A login can step out of its owner role; what it makes then must neither hold up unbinding nor be lost.
TEST_F(PostgresqlEngineTest, WhatALoginOwnsItselfGoesToTheOwner) {
  DatabaseLab lab("postgresql");
  const auto spec = lab.instance("own", kPostgresqlPlanId);
  ASSERT_TRUE(lab.create(spec).ok());
  const auto first = lab.client(lab.bind(spec, "first").value()).value();
  ASSERT_TRUE(first.can("CREATE SCHEMA shared; GRANT ALL ON SCHEMA shared TO PUBLIC"));
  ASSERT_TRUE(first.can("SET ROLE NONE"));
  ASSERT_TRUE(first.can("CREATE TABLE shared.mine AS SELECT 42 AS answer")) << "in a schema that lets it";
  const auto second = lab.client(lab.bind(spec, "second").value()).value();
  const auto unbound = lab.unbind(spec, "first");
  ASSERT_TRUE(unbound.ok()) << unbound.error().message;
  EXPECT_EQ(second.query("SELECT answer FROM shared.mine").value(), (Rows{{"42"}}));
  EXPECT_TRUE(lab.remove(spec).ok());
}

TEST_F(PostgresqlEngineTest, NothingOfTheServerCanBeTouched) {
  DatabaseLab lab("postgresql");
  const auto spec = lab.instance("server", kPostgresqlPlanId);
  ASSERT_TRUE(lab.create(spec).ok());
  const auto credentials = lab.bind(spec, "b").value();
  const auto client = lab.client(credentials).value();
  for (const char* sql : {"ALTER SYSTEM SET max_connections = 1", "COPY (SELECT 1) TO PROGRAM 'true'",
                          "SELECT pg_read_file('/etc/passwd')", "SELECT * FROM pg_authid", "SET ROLE chandler",
                          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'chandler'",
                          "CREATE EXTENSION plperlu", "CREATE EXTENSION dblink", "CREATE EXTENSION postgres_fdw",
                          "GRANT pg_execute_server_program TO CURRENT_USER", "SELECT pg_ls_dir('/')",
                          "SELECT query FROM pg_stat_activity WHERE usename = 'chandler' AND query NOT LIKE '<%'",
                          "SELECT lo_import('/etc/passwd')", "CREATE TABLESPACE mine LOCATION '/tmp'"}) {
    const auto answer = client.query(sql);
    EXPECT_TRUE(!answer.ok() || answer->empty()) << sql;
  }
  EXPECT_FALSE(lab.client(credentials, "template1").ok());
  EXPECT_FALSE(lab.client(credentials, "postgres").ok());
  EXPECT_TRUE(lab.remove(spec).ok());
}

TEST_F(PostgresqlEngineTest, AServersLoginIsNoWayIntoTheMachine) {
  DatabaseLab lab("postgresql");
  const auto spec = lab.instance("whole", kPostgresqlServerPlanId, R"({"memoryMiB":16})");
  ASSERT_TRUE(lab.create(spec).ok());
  const auto client = lab.client(lab.bind(spec, "b").value()).value();
  EXPECT_TRUE(client.can("CREATE DATABASE mine"));
  for (const char* sql : {"CREATE ROLE another", "GRANT pg_execute_server_program TO CURRENT_USER",
                          "COPY (SELECT 1) TO PROGRAM 'true'"}) {
    EXPECT_FALSE(client.can(sql)) << sql;
  }
  EXPECT_TRUE(lab.remove(spec).ok());
}

TEST_F(PostgresqlEngineTest, WhatASharedServerHasInCommonIsOutOfReach) {
  DatabaseLab lab("postgresql");
  const auto spec = lab.instance("common", kPostgresqlPlanId);
  ASSERT_TRUE(lab.create(spec).ok());
  const auto client = lab.client(lab.bind(spec, "b").value()).value();
  struct Row {
    const char* reason;
    const char* sql;
  };
  for (const auto& row : std::vector<Row>{
           {"programs of the machine", "COPY (SELECT 1) TO PROGRAM 'true'"},
           {"files of the machine", "COPY (SELECT 1) TO '/tmp/chandler-copy'"},
           {"files of the machine", "SELECT pg_read_file('postgresql.conf')"},
           {"files of the machine, through large objects", "SELECT lo_import('/etc/passwd')"},
           {"files of the machine, through large objects", "SELECT lo_export(1, '/tmp/chandler-export')"},
           {"space of all for temporary files", "SET temp_file_limit = -1"},
           {"connections of all", "ALTER ROLE CURRENT_USER CONNECTION LIMIT -1"},
           {"settings of all", "ALTER SYSTEM SET max_connections = 1"},
           {"logs of all", "SET log_min_error_statement = 'error'"},
           {"code of the server", "CREATE EXTENSION plpython3u"},
           {"places on the disk", "CREATE TABLESPACE mine LOCATION '/tmp'"},
       }) {
    EXPECT_FALSE(client.can(row.sql)) << row.sql << ": " << row.reason;
  }
  const auto admin = lab.admin();
  const auto its_session = admin.query("SELECT pg_backend_pid()").value()[0][0];
  EXPECT_FALSE(client.can("SELECT pg_terminate_backend(" + its_session + ")")) << "sessions of others";
  EXPECT_TRUE(admin.can("SELECT 1"));
  EXPECT_EQ(client.query("SHOW temp_file_limit").value(), (Rows{{"1GB"}}));
  EXPECT_TRUE(client.can("SELECT lo_create(0)")) << "large objects of its own database";
  EXPECT_TRUE(lab.remove(spec).ok());
}

TEST_F(PostgresqlEngineTest, HalfMadeThingsAreCompleted) {
  DatabaseLab lab("postgresql");
  const auto spec = lab.instance("half", kPostgresqlPlanId);
  const auto admin = lab.admin();
  const std::string key = derived_name("", "half");
  // As a crash between any two steps leaves it.
  ASSERT_TRUE(admin.can("CREATE ROLE o" + key + " NOLOGIN"));
  ASSERT_TRUE(admin.can("GRANT o" + key + " TO CURRENT_USER"));
  ASSERT_TRUE(admin.can("CREATE DATABASE d" + key + " OWNER o" + key + " TEMPLATE template0 ALLOW_CONNECTIONS false"));
  ASSERT_TRUE(lab.create(spec).ok());
  EXPECT_TRUE(lab.client(lab.bind(spec, "b").value())->can("CREATE TABLE t (id INT)"));
  EXPECT_TRUE(lab.remove(spec).ok());
  EXPECT_EQ(admin.query("SELECT rolname FROM pg_roles WHERE rolname LIKE '%" + key + "'").value(), Rows{});
}

// PostgreSQL marks a database as invalid before it removes its files. When that is cut short, it stays so: nothing but
// dropping it is allowed.
TEST_F(PostgresqlEngineTest, ARemovalThatWasCutShortIsCompleted) {
  DatabaseLab lab("postgresql");
  const auto spec = lab.instance("invalid", kPostgresqlPlanId);
  const std::string database = derived_name("d", "invalid");
  const auto admin = lab.admin();
  const auto idle = lab.admin();
  const auto dropper = lab.admin();
  const std::string state = "SELECT datconnlimit FROM pg_database WHERE datname = '" + database + "'";
  const auto stopped = static_cast<pid_t>(std::stoi(idle.query("SELECT pg_backend_pid()").value()[0][0]));
  // Once it has marked the database, DROP DATABASE waits until every process has closed the files.
  const auto invalidate = [&] {
    ASSERT_TRUE(lab.create(spec).ok());
    ASSERT_EQ(::kill(stopped, SIGSTOP), 0);
    std::thread drop([&] { EXPECT_FALSE(dropper.can("DROP DATABASE " + database)); });
    EXPECT_TRUE(eventually([&] { return admin.query(state).value() == Rows{{"-2"}}; }));
    EXPECT_TRUE(admin.can("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE 'DROP DATABASE%'"));
    drop.join();
    EXPECT_EQ(::kill(stopped, SIGCONT), 0);
    ASSERT_EQ(admin.query(state).value(), (Rows{{"-2"}}));
  };
  invalidate();
  if (HasFatalFailure()) return;
  const auto removed = lab.remove(spec);
  ASSERT_TRUE(removed.ok()) << removed.error().message;
  EXPECT_EQ(admin.query(state).value(), Rows{});
  invalidate();
  if (HasFatalFailure()) return;
  ASSERT_TRUE(lab.create(spec).ok()) << "or made anew";
  EXPECT_TRUE(lab.client(lab.bind(spec, "b").value())->can("CREATE TABLE t (id INT)"));
  EXPECT_TRUE(lab.remove(spec).ok());
}

}  // namespace
}  // namespace chandler::brokers
