#include "brokers/redis/redis_engine.h"

#include <csignal>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "brokers/database/database_fixture.h"
#include "brokers/redis/redis_commands.h"
#include "brokers/redis/redis_session.h"
#include "support/eventually.h"

namespace chandler::brokers {
namespace {

using chandler::testing::eventually;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

class RedisEngineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!make_redis_engine()->is_installed()) {
      GTEST_SKIP() << "NOT TESTED: Redis is not installed; run scripts/install-deps databases";
    }
  }
  static Result<RedisSession> client(const json::Value& credentials) {
    return RedisSession::connect(DatabaseLab::address(credentials));
  }
  static std::string prefix(const json::Value& credentials) { return json::string_or(credentials, "prefix"); }
};

TEST_F(RedisEngineTest, TenantsCannotReachEachOther) {
  DatabaseLab lab("redis");
  const auto mine = lab.instance("mine", kRedisSharedPlanId);
  const auto theirs = lab.instance("theirs", kRedisSharedPlanId);
  ASSERT_TRUE(lab.create(mine).ok());
  ASSERT_TRUE(lab.create(theirs).ok());
  const auto my_login = lab.bind(mine, "b").value();
  const auto their_login = lab.bind(theirs, "b").value();
  auto me = client(my_login).value();
  auto them = client(their_login).value();
  const std::string my_key = prefix(my_login) + "key";
  const std::string their_key = prefix(their_login) + "key";
  ASSERT_TRUE(me.command({"SET", my_key, "1"}).ok());
  ASSERT_TRUE(them.command({"SET", their_key, "2"}).ok());
  struct Row {
    const char* reason;
    Words words;
  };
  const std::vector<Row> rows = {
      {"foreign keys", {"GET", their_key}},
      {"foreign keys", {"SET", their_key, "x"}},
      {"foreign keys", {"DEL", their_key}},
      {"foreign keys by another name", {"RENAME", my_key, their_key}},
      {"foreign keys by copying", {"COPY", their_key, my_key}},
      {"foreign keys from a script", {"EVAL", "return redis.call('GET', ARGV[1])", "0", their_key}},
      {"foreign keys as a source", {"ZUNIONSTORE", my_key, "1", their_key}},
      {"foreign keys as a source", {"SUNION", their_key}},
      {"foreign keys as a source", {"BITOP", "NOT", my_key, their_key}},
      {"foreign keys by moving", {"LMOVE", their_key, my_key, "LEFT", "LEFT"}},
      {"foreign keys by waiting", {"BLPOP", their_key, "1"}},
      {"foreign keys as streams", {"XREAD", "STREAMS", their_key, "0"}},
      {"whether foreign keys exist", {"EXISTS", their_key}},
      {"whether foreign keys exist", {"TYPE", their_key}},
      {"whether foreign keys exist", {"TTL", their_key}},
      {"whether foreign keys exist", {"OBJECT", "ENCODING", their_key}},
      {"how large foreign values are", {"MEMORY", "USAGE", their_key}},
      {"foreign keys by sorting", {"SORT", my_key, "BY", "nosort", "GET", their_key}},
      {"foreign keys by dumping", {"DUMP", their_key}},
      {"keys to another server", {"MIGRATE", "127.0.0.1", "1", my_key, "0", "1"}},
      {"foreign changes", {"SUBSCRIBE", "__keyspace@0__:" + their_key}},
      {"foreign channels of shards", {"SPUBLISH", their_key, "x"}},
      {"foreign channels", {"PUBLISH", their_key, "x"}},
      {"foreign channels", {"SUBSCRIBE", their_key}},
      {"foreign channels", {"PSUBSCRIBE", "*"}},
      {"names of all keys", {"SCAN", "0"}},
      {"names of all keys", {"KEYS", "*"}},
      {"names of all keys", {"RANDOMKEY"}},
      {"names of all keys as they change", {"CLIENT", "TRACKING", "ON", "BCAST"}},
      {"how many keys there are", {"DBSIZE"}},
      {"how many keys there are", {"INFO"}},
      {"channels of all", {"PUBSUB", "CHANNELS"}},
      {"other databases", {"SELECT", "1"}},
      {"other databases", {"MOVE", my_key, "1"}},
      {"other databases", {"COPY", my_key, my_key + "2", "DB", "1"}},
      {"other databases", {"SWAPDB", "0", "1"}},
      {"everybody's data", {"FLUSHALL"}},
      {"everybody's data", {"FLUSHDB"}},
      {"everybody's functions", {"FUNCTION", "FLUSH"}},
      {"everybody's scripts", {"SCRIPT", "FLUSH"}},
      {"users", {"ACL", "LIST"}},
      {"users", {"ACL", "SETUSER", "x"}},
      {"connections of others", {"CLIENT", "LIST"}},
      {"connections of others", {"CLIENT", "KILL", "USER", json::string_or(their_login, "username")}},
      {"connections of others", {"CLIENT", "PAUSE", "1"}},
      {"commands of others", {"SLOWLOG", "GET"}},
      {"commands of others", {"MONITOR"}},
      {"the server", {"CONFIG", "GET", "*"}},
      {"the server", {"SHUTDOWN", "NOSAVE"}},
      {"the server", {"DEBUG", "SLEEP", "0"}},
  };
  for (const auto& row : rows) {
    EXPECT_FALSE(me.command(row.words).ok()) << row.words[0] << ": " << row.reason;
  }
  EXPECT_EQ(me.command({"GET", my_key})->text, "1");
  EXPECT_EQ(them.command({"GET", their_key})->text, "2");
  ASSERT_TRUE(lab.remove(mine).ok());
  EXPECT_FALSE(client(my_login).ok());
  EXPECT_EQ(them.command({"GET", their_key})->text, "2") << "deprovisioning takes the own keys only";
  auto admin = RedisSession::connect(shared_server("redis").address()).value();
  EXPECT_EQ(admin.command({"EXISTS", my_key})->number, 0);
  EXPECT_TRUE(lab.remove(theirs).ok());
}

TEST_F(RedisEngineTest, UnbindingEndsSessionsOfThatBindingOnly) {
  DatabaseLab lab("redis");
  const auto spec = lab.instance("unbind", kRedisSharedPlanId);
  ASSERT_TRUE(lab.create(spec).ok());
  const auto first = lab.bind(spec, "first").value();
  const auto second = lab.bind(spec, "second", "reader").value();
  EXPECT_EQ(prefix(first), prefix(second)) << "bindings of an instance share its data";
  auto first_session = client(first).value();
  auto second_session = client(second).value();
  ASSERT_TRUE(first_session.command({"SET", prefix(first) + "a", "1"}).ok());
  EXPECT_FALSE(second_session.command({"SET", prefix(first) + "a", "2"}).ok()) << "a reader";
  ASSERT_TRUE(lab.unbind(spec, "first").ok());
  EXPECT_FALSE(first_session.command({"GET", prefix(first) + "a"}).ok());
  EXPECT_FALSE(client(first).ok());
  EXPECT_EQ(second_session.command({"GET", prefix(first) + "a"})->text, "1");
  EXPECT_TRUE(lab.unbind(spec, "first").ok()) << "repeatable";
  EXPECT_TRUE(lab.remove(spec).ok());
}

TEST_F(RedisEngineTest, ScriptsAreAllowedAndRefusedForUsersThatAreThere) {
  DatabaseLab lab("redis");
  const auto allowed = lab.instance("scripts", kRedisDedicatedPlanId, R"({"maxMemoryMiB":16,"scripting":"allowed"})");
  const auto refused = lab.instance("scripts", kRedisDedicatedPlanId, R"({"maxMemoryMiB":16,"scripting":"refused"})");
  ASSERT_TRUE(lab.create(refused).ok());
  const auto credentials = lab.bind(refused, "b").value();
  EXPECT_FALSE(client(credentials)->command({"EVAL", "return 1", "0"}).ok());
  ASSERT_TRUE(lab.service().update_instance(refused, allowed, ignore_progress).ok());
  EXPECT_TRUE(client(credentials)->command({"EVAL", "return 1", "0"}).ok());
  EXPECT_TRUE(client(credentials)->command({"SCRIPT", "FLUSH"}).ok()) << "nobody else is there";
  EXPECT_TRUE(lab.remove(allowed).ok());
}

// Walks over all commands that the server reports, so that those of a newer version have to be judged before they
// count.
TEST_F(RedisEngineTest, EveryCommandOfTheServerHasAVerdictThatItsRulesFollow) {
  DatabaseLab lab("redis");
  const auto spec = lab.instance("commands", kRedisSharedPlanId);
  ASSERT_TRUE(lab.create(spec).ok());
  const auto credentials = lab.bind(spec, "b").value();
  const auto username = json::string_or(credentials, "username");
  auto admin = RedisSession::connect(shared_server("redis").address()).value();
  const auto listed = admin.command({"COMMAND", "LIST"}).value();
  ASSERT_GT(listed.items.size(), 300u);
  size_t refused_count = 0;
  for (const auto& item : listed.items) {
    const std::string& name = item.text;
    const auto verdict = shared_command(name);
    ASSERT_TRUE(verdict) << name << " is new: name it in redis_commands.cc, allowed or with the reason for refusing it";
    if (!verdict->is_allowed) {
      EXPECT_FALSE(verdict->reason.empty()) << name;
      ++refused_count;
    }
    // The server checks the number of words first; so many keys of the tenant that there are enough.
    const auto about = admin.command({"COMMAND", "INFO", name}).value();
    const auto arity = std::abs(about.items.at(0).items.at(1).number);
    Words words = {"ACL", "DRYRUN", username};
    const auto parts = split(name, '|');
    const bool is_container = about.items[0].items.size() > 9 && !about.items[0].items[9].items.empty();
    if (is_container) continue;  // each of its subcommands is in the list
    words.insert(words.end(), parts.begin(), parts.end());
    while (static_cast<int64_t>(words.size()) < arity + 3) words.push_back(prefix(credentials) + "1");
    const auto answer = admin.command(words);
    const std::string said = answer.ok() ? answer->text : answer.error().message;
    const bool is_refused = said.find("no permissions to run") != std::string::npos;
    EXPECT_EQ(is_refused, !verdict->is_allowed) << name << ": " << verdict->reason << "; the server says: " << said;
  }
  EXPECT_GT(refused_count, 60u);
  // What the verdicts are worth: these are asked of the server for real, with the words that they take.
  auto me = client(credentials).value();
  for (const Words& words : std::vector<Words>{{"EVAL", "return 1", "0"},
                                               {"EVALSHA", "x", "0"},
                                               {"SCRIPT", "LOAD", "return 1"},
                                               {"FUNCTION", "LIST"},
                                               {"FCALL", "f", "0"},
                                               {"KEYS", "*"},
                                               {"FLUSHALL"},
                                               {"FLUSHDB"},
                                               {"SWAPDB", "0", "0"},
                                               {"CONFIG", "SET", "maxmemory", "0"},
                                               {"CLIENT", "NO-EVICT", "on"},
                                               {"SUBSCRIBE", "their:channel"},
                                               {"PSUBSCRIBE", "*"},
                                               {"SAVE"},
                                               {"BGSAVE"},
                                               {"MIGRATE", "h", "1", "k", "0", "1"}}) {
    const auto answer = me.command(words);
    ASSERT_FALSE(answer.ok()) << words[0];
    EXPECT_THAT(answer.error().message, HasSubstr("NOPERM")) << words[0];
  }
  EXPECT_TRUE(me.command({"SUBSCRIBE", prefix(credentials) + "news"}).ok());
  EXPECT_TRUE(lab.remove(spec).ok());
}

TEST_F(RedisEngineTest, ScriptsOnTheSharedServerAreRefusedWhenTheyAreAskedFor) {
  DatabaseLab lab("redis");
  const auto spec = lab.instance("asking", kRedisSharedPlanId, R"({"scripting":"allowed"})");
  const auto refused = lab.create(spec);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("parameters.scripting must be one of refused"));
  // An instance that has had it for long goes on, without scripts.
  ASSERT_TRUE(lab.service().create_instance(spec, ignore_progress).ok());
  EXPECT_TRUE(lab.service().check_update(spec, spec).ok());
  EXPECT_FALSE(client(lab.bind(spec, "b").value())->command({"EVAL", "return 1", "0"}).ok());
  EXPECT_TRUE(lab.remove(spec).ok());
}

// The rules that users had before, as the version wrote them that did so.
Words former_rules(const std::string& username, const std::string& prefix, bool is_reader) {
  Words words = {"ACL",
                 "SETUSER",
                 username,
                 "reset",
                 "on",
                 ">former",
                 "~" + prefix + "*",
                 "&" + prefix + "*",
                 "+@all",
                 "-@dangerous",
                 "-@admin",
                 "-scan",
                 "-randomkey",
                 "-dbsize",
                 "-select",
                 "-move",
                 "-info",
                 "-function",
                 "-script",
                 "-wait",
                 "-client|tracking",
                 "-client|caching",
                 "-pubsub",
                 "+pubsub|numsub",
                 "+eval",
                 "+eval_ro",
                 "+evalsha",
                 "+evalsha_ro",
                 "+fcall",
                 "+fcall_ro"};
  if (is_reader) words.emplace_back("-@write");
  return words;
}

TEST_F(RedisEngineTest, UsersOfEarlierVersionsLoseScriptsAtTheNextStart) {
  DatabaseLab lab("redis", true);
  const auto spec = lab.instance("former", kRedisSharedPlanId);
  ASSERT_TRUE(lab.create(spec).ok());
  auto writer = lab.bind(spec, "w").value();
  auto reader = lab.bind(spec, "r", "reader").value();
  const auto key = prefix(writer) + "k";
  const auto make_former = [&](const ServerAddress& address) {
    auto admin = RedisSession::connect(address).value();
    for (auto* login : {&writer, &reader}) {
      auto rules = former_rules(json::string_or(*login, "username"), prefix(writer), login == &reader);
      ASSERT_TRUE(admin.command(rules).ok());
      login->as_object()["password"] = "former";
    }
    ASSERT_TRUE(admin.command({"ACL", "SAVE"}).ok());
    ASSERT_TRUE(client(writer)->command({"EVAL", "return 1", "0"}).ok()) << "so it was";
  };
  const auto expect_present = [&] {
    EXPECT_FALSE(client(writer)->command({"EVAL", "return 1", "0"}).ok());
    EXPECT_FALSE(client(writer)->command({"FCALL", "f", "0"}).ok());
    EXPECT_TRUE(client(writer)->command({"SET", key, "1"}).ok());
    EXPECT_EQ(client(reader)->command({"GET", key})->text, "1");
    EXPECT_FALSE(client(reader)->command({"SET", key, "2"}).ok()) << "a reader stays one";
    EXPECT_FALSE(client(writer)->command({"GET", "other"}).ok());
  };
  make_former(admin_address(lab.service().fleet()->ready("shared").value()));
  lab.open();
  ASSERT_TRUE(eventually([&] { return client(writer).ok(); }));
  expect_present();
  // On a server that others run: when the broker next works there.
  make_former(admin_address(lab.service().fleet()->ready("shared").value()));
  const auto another = lab.instance("another", kRedisSharedPlanId);
  ASSERT_TRUE(lab.create(another).ok());
  expect_present();
  EXPECT_TRUE(lab.remove(another).ok());
  EXPECT_TRUE(lab.remove(spec).ok());
}

TEST_F(RedisEngineTest, OneTenantCannotTakeTheMemoryOfTheServerAtOnce) {
  DatabaseLab lab("redis");
  const auto spec = lab.instance("large", kRedisSharedPlanId);
  ASSERT_TRUE(lab.create(spec).ok());
  const auto credentials = lab.bind(spec, "b").value();
  const std::string key = prefix(credentials) + "k";
  EXPECT_FALSE(client(credentials)->command({"SETRANGE", key, "100000000", "x"}).ok()) << "100 MB by one command";
  EXPECT_FALSE(client(credentials)->command({"SETBIT", key, "1000000000", "1"}).ok()) << "125 MB by one command";
  EXPECT_TRUE(client(credentials)->command({"SETRANGE", key, "1000000", "x"}).ok());
  auto admin = RedisSession::connect(shared_server("redis").address()).value();
  EXPECT_EQ(admin.command({"CONFIG", "GET", "maxmemory-clients"})->items.at(1).text, "50%");
  EXPECT_EQ(admin.command({"CONFIG", "GET", "maxmemory-policy"})->items.at(1).text, "noeviction") << "as the plan says";
  EXPECT_TRUE(lab.remove(spec).ok());
}

TEST_F(RedisEngineTest, AReaderStaysOneWhenTheInstanceChanges) {
  DatabaseLab lab("redis");
  const auto before = lab.instance("reading", kRedisDedicatedPlanId, R"({"maxMemoryMiB":16})");
  const auto after = lab.instance("reading", kRedisDedicatedPlanId, R"({"maxMemoryMiB":16,"scripting":"allowed"})");
  ASSERT_TRUE(lab.create(before).ok());
  auto reader = client(lab.bind(before, "b", "reader").value()).value();
  ASSERT_TRUE(lab.service().update_instance(before, after, ignore_progress).ok());
  EXPECT_TRUE(reader.command({"EVAL_RO", "return 1", "0"}).ok());
  EXPECT_FALSE(reader.command({"FUNCTION", "FLUSH"}).ok());
  EXPECT_FALSE(reader.command({"SET", "a", "1"}).ok());
  EXPECT_TRUE(lab.remove(after).ok());
}

TEST_F(RedisEngineTest, ADedicatedServerComesBackWithUsersAndData) {
  DatabaseLab lab("redis");
  const auto spec = lab.instance("dedicated", kRedisDedicatedPlanId, R"({"maxMemoryMiB":16})");
  ASSERT_TRUE(lab.create(spec).ok());
  const auto credentials = lab.bind(spec, "b").value();
  {
    auto session = client(credentials).value();
    ASSERT_TRUE(session.command({"SET", "any key", "kept"}).ok());
    EXPECT_TRUE(session.command({"SCAN", "0"}).ok()) << "nobody else is there";
    EXPECT_FALSE(session.command({"CONFIG", "SET", "dir", "/tmp"}).ok()) << "files of the machine are not theirs";
    EXPECT_FALSE(session.command({"ACL", "LIST"}).ok());
    EXPECT_FALSE(session.command({"SHUTDOWN"}).ok());
  }
  const std::string server = lab.service().describe(spec).at("metadata").at("labels").at("server").as_string().c_str();
  ::kill(lab.service().fleet()->pid(server), SIGKILL);
  EXPECT_TRUE(eventually([&] { return client(credentials).ok(); }));
  EXPECT_EQ(client(credentials)->command({"GET", "any key"})->text, "kept");
  lab.open();
  EXPECT_TRUE(eventually([&] { return client(credentials).ok(); }));
  EXPECT_EQ(client(credentials)->command({"GET", "any key"})->text, "kept");
  EXPECT_TRUE(lab.remove(spec).ok());
  EXPECT_FALSE(client(credentials).ok());
}

}  // namespace
}  // namespace chandler::brokers
