#include "brokers/redis/redis_engine.h"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "brokers/database/database_fixture.h"
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
  EXPECT_TRUE(me.command({"EVAL", "return redis.call('GET', KEYS[1])", "1", my_key}).ok());

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
  const auto allowed = lab.instance("scripts", kRedisSharedPlanId, R"({"scripting":"allowed"})");
  const auto refused = lab.instance("scripts", kRedisSharedPlanId, R"({"scripting":"refused"})");
  ASSERT_TRUE(lab.create(refused).ok());
  auto session = client(lab.bind(refused, "b").value()).value();
  EXPECT_FALSE(session.command({"EVAL", "return 1", "0"}).ok());
  ASSERT_TRUE(lab.service().update_instance(refused, allowed, ignore_progress).ok());
  EXPECT_TRUE(session.command({"EVAL", "return 1", "0"}).ok());
  EXPECT_FALSE(session.command({"SCRIPT", "FLUSH"}).ok()) << "still everybody's";
  EXPECT_TRUE(lab.remove(allowed).ok());
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
