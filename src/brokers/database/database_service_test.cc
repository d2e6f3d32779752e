#include "brokers/database/database_service.h"

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <regex>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "brokers/database/database_fixture.h"
#include "brokers/derived_name.h"
#include "osb/server/catalog.h"
#include "support/eventually.h"

namespace chandler::brokers {
namespace {

using chandler::testing::eventually;
using ::testing::HasSubstr;

// What both SQL servers must do; the statements are those that both understand.
class SqlServiceTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!make_engine(GetParam())->is_installed()) {
      GTEST_SKIP() << "NOT TESTED: " << GetParam() << " is not installed; run scripts/install-deps databases";
    }
  }
  std::string plan(PlanShape shape) const {
    for (const auto& row : make_engine(GetParam())->offer().plans) {
      if (row.shape == shape) return row.id;
    }
    return "";
  }
  // A database with a table of one row, and the credentials of a binding.
  json::Value furnish(DatabaseLab& lab, const osb::server::InstanceSpec& spec) {
    EXPECT_TRUE(lab.create(spec).ok());
    auto credentials = lab.bind(spec, "first").value();
    const auto client = lab.client(credentials).value();
    EXPECT_TRUE(client.can("CREATE TABLE notes (text VARCHAR(100))"));
    EXPECT_TRUE(client.can("INSERT INTO notes VALUES ('of " + spec.id + "')"));
    return credentials;
  }
  size_t count_databases(DatabaseLab& lab, const osb::server::InstanceSpec& spec) {
    const std::string name = derived_name("d", spec.id);
    const std::string sql = GetParam() == "mysql"
                                ? "SELECT 1 FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = '" + name + "'"
                                : "SELECT 1 FROM pg_database WHERE datname = '" + name + "'";
    return lab.admin().query(sql).value().size();
  }
};

TEST_P(SqlServiceTest, CredentialsHaveTheWellKnownKeys) {
  DatabaseLab lab(GetParam());
  const auto spec = lab.instance("keys", plan(PlanShape::kShared));
  ASSERT_TRUE(lab.create(spec).ok());
  const auto credentials = lab.bind(spec, "b").value();
  for (const auto* key : {"uri", "host", "username", "password", "database", "type", "provider"}) {
    EXPECT_NE(json::string_or(credentials, key), "") << key;
  }
  EXPECT_TRUE(json::int_at(credentials, "port").has_value());
  EXPECT_EQ(json::string_or(credentials, "type"), GetParam());
  EXPECT_TRUE(std::regex_match(json::string_or(credentials, "database"), std::regex("d[a-z2-7]{24}")))
      << "no wildcard of a GRANT, nothing to quote, short enough for every server";
  EXPECT_TRUE(std::regex_match(json::string_or(credentials, "username"), std::regex("u[a-z2-7]{24}")));
  EXPECT_GE(json::string_or(credentials, "password").size(), 32u);
  EXPECT_TRUE(lab.remove(spec).ok());
}

TEST_P(SqlServiceTest, TenantsCannotReachEachOther) {
  DatabaseLab lab(GetParam());
  const auto mine = lab.instance("mine", plan(PlanShape::kShared));
  const auto theirs = lab.instance("theirs", plan(PlanShape::kShared));
  const auto my_login = furnish(lab, mine);
  const auto their_login = furnish(lab, theirs);
  const auto client = lab.client(my_login).value();
  const std::string their_database = json::string_or(their_login, "database");
  const std::string their_user = json::string_or(their_login, "username");
  EXPECT_FALSE(lab.client(my_login, their_database).ok());
  EXPECT_FALSE(lab.client(my_login, GetParam() == "mysql" ? "mysql" : "postgres").ok());
  for (const std::string& sql :
       {std::string("SELECT * FROM ") + their_database + ".notes", "DROP DATABASE " + their_database,
        std::string("CREATE DATABASE another"), std::string("CREATE ROLE another"),
        "CREATE USER another" + std::string(GetParam() == "mysql" ? " IDENTIFIED BY 'x'" : ""),
        "DROP USER " + their_user, "GRANT ALL ON " + their_database + ".* TO " + their_user}) {
    EXPECT_FALSE(client.can(sql)) << sql;
  }
  EXPECT_TRUE(client.can("SELECT * FROM notes"));
  EXPECT_TRUE(lab.client(their_login)->can("SELECT * FROM notes"));
  EXPECT_TRUE(lab.remove(mine).ok());
  EXPECT_EQ(lab.client(their_login)->query("SELECT text FROM notes").value(), (Rows{{"of theirs"}}));
  EXPECT_TRUE(lab.remove(theirs).ok());
}

TEST_P(SqlServiceTest, EachAccessCanDoWhatItSays) {
  DatabaseLab lab(GetParam());
  const auto spec = lab.instance("access", plan(PlanShape::kShared));
  furnish(lab, spec);
  const auto writer = lab.client(lab.bind(spec, "w", "writer").value()).value();
  const auto reader = lab.client(lab.bind(spec, "r", "reader").value()).value();
  EXPECT_TRUE(writer.can("INSERT INTO notes VALUES ('written')"));
  EXPECT_FALSE(writer.can("CREATE TABLE more (id INT)"));
  EXPECT_FALSE(writer.can("DROP TABLE notes"));
  EXPECT_EQ(reader.query("SELECT text FROM notes ORDER BY text").value(), (Rows{{"of access"}, {"written"}}));
  EXPECT_FALSE(reader.can("INSERT INTO notes VALUES ('x')"));
  EXPECT_FALSE(reader.can("DELETE FROM notes"));
  EXPECT_TRUE(lab.remove(spec).ok());
}

TEST_P(SqlServiceTest, UnbindingEndsSessionsOfThatBindingOnlyAndKeepsItsTables) {
  DatabaseLab lab(GetParam());
  const auto spec = lab.instance("unbind", plan(PlanShape::kShared));
  const auto first = furnish(lab, spec);
  const auto second = lab.bind(spec, "second").value();
  const auto first_session = lab.client(first).value();
  const auto second_session = lab.client(second).value();
  ASSERT_TRUE(first_session.can("SELECT 1"));
  ASSERT_TRUE(lab.unbind(spec, "first").ok());
  EXPECT_TRUE(eventually([&] { return !first_session.can("SELECT 1"); })) << "a live session must end";
  EXPECT_FALSE(lab.client(first).ok());
  EXPECT_TRUE(second_session.can("SELECT * FROM notes")) << "what the first made stays";
  EXPECT_TRUE(second_session.can("ALTER TABLE notes ADD COLUMN id INT")) << "and can be changed by others";
  EXPECT_TRUE(lab.unbind(spec, "first").ok()) << "repeatable";
  EXPECT_TRUE(lab.remove(spec).ok());
}

TEST_P(SqlServiceTest, ADatabaseInUseCanBeDropped) {
  DatabaseLab lab(GetParam());
  const auto spec = lab.instance("busy", plan(PlanShape::kShared));
  const auto session = lab.client(furnish(lab, spec)).value();
  ASSERT_TRUE(session.can("BEGIN"));
  ASSERT_TRUE(session.can("SELECT * FROM notes"));  // holds a lock on the table until it is told otherwise
  const auto removed = lab.remove(spec);
  EXPECT_TRUE(removed.ok()) << removed.error().message;
  EXPECT_EQ(count_databases(lab, spec), 0u);
  EXPECT_TRUE(lab.remove(spec).ok()) << "repeatable";
}

TEST_P(SqlServiceTest, ARepeatedCreationMakesOneOfEverything) {
  DatabaseLab lab(GetParam());
  const auto spec = lab.instance("again", plan(PlanShape::kShared));
  ASSERT_TRUE(lab.create(spec).ok());
  ASSERT_TRUE(lab.create(spec).ok());
  EXPECT_EQ(count_databases(lab, spec), 1u);
  const auto lost = lab.bind(spec, "b").value();  // as if the answer was lost
  const auto told = lab.bind(spec, "b").value();
  EXPECT_EQ(json::string_or(lost, "username"), json::string_or(told, "username"));
  EXPECT_FALSE(lab.client(lost).ok()) << "only the password that was told works";
  EXPECT_TRUE(lab.client(told).ok());
  EXPECT_TRUE(lab.remove(spec).ok()) << "takes the login along";
  EXPECT_FALSE(lab.client(told).ok());
}

TEST_P(SqlServiceTest, ConnectionsAreLimitedAndTheLimitCanChange) {
  DatabaseLab lab(GetParam());
  auto spec = lab.instance("limit", plan(PlanShape::kShared), R"({"maxConnections":1})");
  ASSERT_TRUE(lab.create(spec).ok());
  const auto credentials = lab.bind(spec, "b").value();
  const auto one = lab.client(credentials);
  ASSERT_TRUE(one.ok());
  EXPECT_FALSE(lab.client(credentials).ok());
  const auto more = lab.instance("limit", plan(PlanShape::kShared), R"({"maxConnections":2})");
  ASSERT_TRUE(lab.service().check_update(spec, more).ok());
  ASSERT_TRUE(lab.service().update_instance(spec, more, ignore_progress).ok());
  EXPECT_TRUE(lab.client(credentials).ok());
  EXPECT_TRUE(lab.remove(spec).ok());
}

TEST_P(SqlServiceTest, OneInstanceCannotTakeTheConnectionsOfTheOthers) {
  DatabaseLab lab(GetParam());
  int64_t most = 0;  // as much as a user may ask for
  for (const auto& row : make_engine(GetParam())->offer().plan(plan(PlanShape::kShared))->parameters) {
    if (row.name == "maxConnections") most = row.high;
  }
  const auto noisy = lab.instance("noisy", plan(PlanShape::kShared), fmt::format(R"({{"maxConnections":{}}})", most));
  const auto quiet = lab.instance("quiet", plan(PlanShape::kShared));
  ASSERT_TRUE(lab.create(noisy).ok());
  ASSERT_TRUE(lab.create(quiet).ok());
  const auto quiet_login = lab.bind(quiet, "b").value();
  std::vector<json::Value> logins;
  for (const char* name : {"one", "two", "three"}) logins.push_back(lab.bind(noisy, name).value());
  std::vector<SqlClient> open;
  for (const auto& login : logins) {
    for (auto client = lab.client(login); client.ok(); client = lab.client(login)) open.push_back(std::move(*client));
  }
  EXPECT_LE(static_cast<int64_t>(open.size()), most);
  EXPECT_GT(static_cast<int64_t>(open.size()), most * 9 / 10) << "shared out among the bindings";
  EXPECT_TRUE(lab.client(quiet_login).ok()) << "another instance works";
  const auto another = lab.instance("another", plan(PlanShape::kShared));
  EXPECT_TRUE(lab.create(another).ok()) << "and so does the broker";
  EXPECT_TRUE(lab.unbind(noisy, "one").ok());
  open.clear();
  for (auto client = lab.client(logins[1]); client.ok(); client = lab.client(logins[1]))
    open.push_back(std::move(*client));
  EXPECT_GT(static_cast<int64_t>(open.size()), most * 4 / 10) << "two share what three had";
  open.clear();
  for (const auto& spec : {noisy, quiet, another}) EXPECT_TRUE(lab.remove(spec).ok());
}

TEST_P(SqlServiceTest, ADatabaseCanBePutOnAServerOfTheSameNamespaceOnly) {
  DatabaseLab lab(GetParam());
  const auto server = lab.instance("server-1", plan(PlanShape::kServer), R"({"memoryMiB":16})");
  ASSERT_TRUE(lab.create(server).ok());
  const auto database = lab.instance("database-1", plan(PlanShape::kDatabaseOnServer), R"({"server":"server-1"})");
  auto stranger = database;
  stranger.space_guid = "another namespace";
  const auto refused = lab.create(stranger);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kInvalid);
  EXPECT_THAT(refused.error().message, HasSubstr("spec.externalID"));
  ASSERT_TRUE(lab.remove(stranger).ok()) << "a refused one can be cleaned up";
  ASSERT_TRUE(lab.create(database).ok());
  const auto of_database = lab.bind(database, "b").value();
  EXPECT_TRUE(lab.client(of_database)->can("CREATE TABLE t (id INT)"));
  // Two databases on one server know nothing of each other.
  const auto neighbour = lab.instance("database-2", plan(PlanShape::kDatabaseOnServer), R"({"server":"server-1"})");
  const auto of_neighbour = furnish(lab, neighbour);
  EXPECT_FALSE(lab.client(of_database, json::string_or(of_neighbour, "database")).ok());
  EXPECT_FALSE(lab.client(of_neighbour, json::string_or(of_database, "database")).ok());
  EXPECT_FALSE(lab.client(of_database)->can("DROP DATABASE " + json::string_or(of_neighbour, "database")));
  EXPECT_TRUE(lab.remove(neighbour).ok());
  // A fixed parameter stays what it is.
  auto elsewhere = database;
  elsewhere.parameters.as_object()["server"] = "server-2";
  const auto moved = lab.service().check_update(database, elsewhere);
  ASSERT_FALSE(moved.ok());
  EXPECT_EQ(moved.error().reason, Reason::kInvalid);
  EXPECT_THAT(moved.error().message, HasSubstr("parameters.server cannot be changed"));
  // Whoever has the server may make databases; whoever has a database may not.
  EXPECT_FALSE(lab.client(of_database)->can("CREATE DATABASE more"));
  const auto of_server = lab.bind(server, "b").value();
  const auto administrator = lab.client(of_server);
  ASSERT_TRUE(administrator.ok()) << administrator.error().message;
  EXPECT_TRUE(administrator->can("CREATE DATABASE more"));
  EXPECT_TRUE(administrator->can("CREATE DATABASE even_more"));

  const auto too_early = lab.remove(server);
  ASSERT_FALSE(too_early.ok());
  EXPECT_EQ(too_early.error().reason, Reason::kInvalid);
  EXPECT_THAT(too_early.error().message, HasSubstr("holds a database"));
  EXPECT_TRUE(lab.client(of_database).ok()) << "a refused deletion changes nothing";
  EXPECT_TRUE(lab.unbind(server, "b").ok());
  EXPECT_FALSE(lab.client(of_server).ok());
  EXPECT_TRUE(lab.remove(database).ok());
  EXPECT_FALSE(lab.client(of_database).ok());
  EXPECT_TRUE(lab.remove(server).ok());
  EXPECT_FALSE(lab.service().fleet()->record(derived_name("s", "server-1")).has_value());
  EXPECT_TRUE(std::filesystem::is_empty(lab.directory() + "/" + GetParam() + "/servers")) << "nothing is left on disk";
}

// Whatever is killed, and whenever: trying again leads to exactly one database, with its data, or to none.
TEST_P(SqlServiceTest, KilledServersComeBackWithPortAndData) {
  DatabaseLab lab(GetParam(), true);
  EXPECT_TRUE(std::filesystem::is_empty(lab.directory() + "/" + GetParam() + "/servers")) << "nothing runs unasked";
  const auto kept = lab.instance("kept", plan(PlanShape::kShared));
  const auto credentials = furnish(lab, kept);
  const auto spec = lab.instance("attempted", plan(PlanShape::kShared));
  for (int round = 0; round < 2; ++round) {
    const pid_t victim = lab.service().fleet()->pid("shared");
    ASSERT_GT(victim, 0);
    bool is_made = false;
    std::thread maker([&] { is_made = lab.create(spec).ok(); });
    ::kill(victim, SIGKILL);
    maker.join();
    EXPECT_TRUE(is_made || eventually([&] { return lab.create(spec).ok(); }));
    EXPECT_EQ(count_databases(lab, spec), 1u);
    if (round == 1) {
      ::kill(lab.service().fleet()->pid("shared"), SIGKILL);
      EXPECT_TRUE(eventually([&] { return lab.remove(spec).ok(); }));
      EXPECT_EQ(count_databases(lab, spec), 0u);
    }
  }
  EXPECT_EQ(lab.client(credentials)->query("SELECT text FROM notes").value(), (Rows{{"of kept"}})) << "same port too";
  // The end of the broker, as after a reboot: servers that are needed come up by themselves.
  lab.open();
  EXPECT_TRUE(eventually([&] { return lab.client(credentials).ok(); }));
  EXPECT_EQ(lab.client(credentials)->query("SELECT text FROM notes").value(), (Rows{{"of kept"}}));
}

TEST_P(SqlServiceTest, ItsCatalogIsWellFormed) {
  const auto& offer = make_engine(GetParam())->offer();
  const auto catalog = osb::server::Catalog::read(json::Object{{"services", json::Array{catalog_entry(offer)}}});
  ASSERT_TRUE(catalog.ok()) << catalog.error().message;
  for (const auto& row : offer.plans) {
    const auto* found = catalog->plan(offer.id, row.id);
    ASSERT_NE(found, nullptr);
    json::Value suggested = *json::find(*found->metadata, "defaultProvisionParameters");
    if (row.shape == PlanShape::kDatabaseOnServer) suggested.as_object()["server"] = "x";
    EXPECT_TRUE(read_parameters(row.parameters, suggested).ok()) << "what is suggested must work: " << row.name;
  }
}

class AnyServiceTest : public SqlServiceTest {};

// As when root tries things out in its home: servers run as other accounts, which may not pass through /root.
TEST_P(AnyServiceTest, ServersRunBelowADirectoryThatIsClosedToThem) {
  DatabaseLab lab(GetParam(), true, true);
  const auto spec = lab.instance("closed", plan(PlanShape::kShared));
  const auto made = lab.create(spec);
  if (!made.ok()) {
    // Without the right to mount, as in many containers, there is a remedy at least.
    EXPECT_THAT(made.error().message, HasSubstr("chmod o+x " + lab.directory()));
    return;
  }
  EXPECT_TRUE(lab.bind(spec, "b").ok());
  struct stat info {};
  ASSERT_EQ(::stat(("/proc/" + std::to_string(lab.service().fleet()->pid("shared"))).c_str(), &info), 0);
  EXPECT_TRUE(::geteuid() != 0 || info.st_uid != 0) << "not as root";
  ASSERT_EQ(::stat(lab.directory().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u) << "what is not ours stays closed";
  EXPECT_TRUE(lab.remove(spec).ok());
}

// Whoever names another server, or none, must not take a database for gone that is still at the old one.
TEST_P(AnyServiceTest, AnInstanceStaysWhereItIsWhenAnotherServerIsNamed) {
  DatabaseLab lab(GetParam());
  const auto here = shared_server(GetParam()).address();
  const auto spec = lab.instance("moved", plan(PlanShape::kShared));
  ASSERT_TRUE(lab.create(spec).ok());
  ASSERT_TRUE(lab.bind(spec, "b").ok());
  auto elsewhere = here;
  elsewhere.host = "localhost";  // the same server by another name, which nobody can know
  for (const auto& existing : {std::optional(elsewhere), std::optional<ServerAddress>()}) {
    lab.open_with(existing);
    for (const auto& refused : {lab.remove(spec), lab.unbind(spec, "b"), lab.create(spec)}) {
      ASSERT_FALSE(refused.ok());
      EXPECT_THAT(refused.error().message, HasSubstr(derived_name("d", "moved") + " is at " + here.label()));
      EXPECT_THAT(refused.error().message, HasSubstr("--" + GetParam() + "-admin-url names " +
                                                     (existing ? existing->label() : "no server now")));
      EXPECT_EQ(refused.error().message.find(here.password), std::string::npos);
    }
    const auto fresh = lab.instance("fresh", plan(PlanShape::kShared));
    EXPECT_TRUE(lab.create(fresh).ok()) << "a new one goes where new ones go";
    EXPECT_TRUE(lab.remove(fresh).ok());
  }
  elsewhere.former.push_back(here.label());
  lab.open_with(elsewhere);
  EXPECT_TRUE(lab.unbind(spec, "b").ok());
  const auto removed = lab.remove(spec);
  EXPECT_TRUE(removed.ok()) << removed.error().message;
  EXPECT_TRUE(lab.remove(spec).ok()) << "repeatable";
  lab.open();
  EXPECT_TRUE(lab.remove(spec).ok()) << "and forgotten";
}

INSTANTIATE_TEST_SUITE_P(Databases, AnyServiceTest, ::testing::Values("mysql", "postgresql", "redis"),
                         [](const auto& row) { return row.param; });
INSTANTIATE_TEST_SUITE_P(Databases, SqlServiceTest, ::testing::Values("mysql", "postgresql"),
                         [](const auto& row) { return row.param; });

}  // namespace
}  // namespace chandler::brokers
