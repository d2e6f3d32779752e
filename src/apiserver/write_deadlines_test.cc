#include "apiserver/write_deadlines.h"

#include <gtest/gtest.h>

#include "apiserver/health.h"
#include "apiserver/housekeeping/world_fixture.h"
#include "apiserver/openapi.h"
#include "apiserver/request_metrics.h"
#include "apiserver/server.h"
#include "apiserver/server_fixture.h"
#include "apiserver/watch_stream.h"
#include "registry/passing_store.h"

namespace chandler::apiserver {
namespace {

using std::chrono::seconds;
using testing::Answers;
using testing::FakeResponder;
using testing::NoAccounts;

class AnyObject final : public registry::Admission {
 public:
  Result<void> mutate(registry::AdmissionRequest&) override {
    if (while_mutating) while_mutating();
    return {};
  }
  Result<void> validate(const registry::AdmissionRequest&, meta::FieldErrors&) override {
    if (while_validating) while_validating();
    return {};
  }

  std::function<void()> while_mutating;
  std::function<void()> while_validating;
};

// Reads like the one behind it, and takes writes without ever saying what became of them, unless told to.
class FaultyStore final : public registry::testing::PassingStore {
 public:
  using PassingStore::PassingStore;
  void commit(storage::Write write, Callback done) override {
    if (before_passing_on_) {
      before_passing_on_();
      return PassingStore::commit(std::move(write), std::move(done));
    }
    MutexLock lock(mutex_);
    kept_.push_back(std::move(done));
  }
  // From now on it answers, and calls this before.
  void pass_on(std::function<void()> before) { before_passing_on_ = std::move(before); }
  size_t waiting() {
    MutexLock lock(mutex_);
    return kept_.size();
  }
  void answer_all(const Error& error) {
    std::vector<Callback> kept;
    {
      MutexLock lock(mutex_);
      kept.swap(kept_);
    }
    for (const auto& done : kept) done(error);
  }
  void stop() override {}

 private:
  std::function<void()> before_passing_on_;
  Mutex mutex_;
  std::vector<Callback> kept_ CH_GUARDED_BY(mutex_);
};

// A whole server over a store that does not answer.
class WriteDeadlinesTest : public ::testing::Test {
 protected:
  WriteDeadlinesTest() { world_.follow(); }
  ~WriteDeadlinesTest() override {
    store_.answer_all(unavailable("the test is over"));
    answers_.clear();
  }

  void send(http::Method method, std::string_view verb, std::string_view target, std::string_view body) {
    auto request = std::make_shared<http::Request>();
    request->method = method;
    request->method_text = verb;
    request->target = target;
    request->body = body;
    auto peer = std::make_shared<http::Peer>();
    peer->common_name = "tester";
    peer->organizations = {std::string(auth::kMasters)};
    request->peer = std::move(peer);
    server_.handle(std::move(request), std::make_unique<FakeResponder>(answers_));
  }
  void create(std::string_view query) {
    send(http::Method::kPost, "POST", "/api/v1/namespaces" + std::string(query), R"({"metadata":{"name":"a"}})");
  }

  testing::World world_;
  FaultyStore store_{world_.store};
  AnyObject admission_;
  registry::Objects objects_{store_, world_.cache, nullptr, admission_, world_.clock};
  auth::ClientCertificates authenticator_;
  auth::PolicyStore policy_;
  NoAccounts accounts_;
  auth::ServiceAccountTokens tokens_{
      *auth::SigningKey::from_pem(*auth::new_private_key_pem()), {}, accounts_, world_.clock};
  OpenApi openapi_{world_.kinds, world_.cache};
  Health health_;
  WatchTimer timer_{world_.clock};
  RequestMetrics request_metrics_{world_.metrics};
  Pool pool_{"test", 1, 1};
  Services services_{world_.kinds, world_.cache, objects_, authenticator_,   policy_,        tokens_, accounts_,
                     openapi_,     health_,      timer_,   request_metrics_, world_.metrics, pool_,   world_.clock};
  ApiServer server_{services_};
  Answers answers_;
};

TEST_F(WriteDeadlinesTest, AWriteThatTheStoreDoesNotAnswerEndsInTimeAndOnce) {
  create("?timeout=5s");
  EXPECT_EQ(store_.waiting(), 1u);
  EXPECT_EQ(answers_.count(), 0u);
  world_.clock.advance(seconds(5));
  ASSERT_TRUE(::chandler::testing::eventually([&] { return answers_.count() == 1; }));
  EXPECT_NE(answers_.first().find("504 "), std::string::npos) << answers_.first();
  EXPECT_NE(answers_.first().find("\"reason\":\"Timeout\""), std::string::npos) << answers_.first();

  store_.answer_all(unavailable("too late"));
  EXPECT_EQ(answers_.count(), 1u);
}

TEST_F(WriteDeadlinesTest, AnAnswerInTimeIsTheOnlyOne) {
  create("");
  store_.answer_all(unavailable("the disk is gone"));
  EXPECT_NE(answers_.first().find("503 "), std::string::npos) << answers_.first();
  world_.clock.advance(WriteDeadlines::kLongest);
  EXPECT_TRUE(timer_.writes().take_due(world_.clock.mono()).empty());
}

// Nobody waits for it, so the rest of the work is not done.
TEST_F(WriteDeadlinesTest, AWriteWhosePreparationTakesTooLongEndsBeforeItsNextStep) {
  const auto time_passes = [&] { world_.clock.advance(seconds(5)); };
  bool validated = false;
  admission_.while_mutating = time_passes;
  admission_.while_validating = [&] { validated = true; };
  create("?timeout=5s");
  EXPECT_NE(answers_.first().find("504 "), std::string::npos) << answers_.first();
  EXPECT_FALSE(validated);
  EXPECT_EQ(store_.waiting(), 0u);

  answers_.clear();
  admission_.while_mutating = nullptr;
  admission_.while_validating = time_passes;
  create("?timeout=5s");
  EXPECT_NE(answers_.first().find("504 "), std::string::npos) << answers_.first();
  EXPECT_EQ(store_.waiting(), 0u) << "nothing is written after the answer";
}

// Deleting many objects may take longer than the client waits: what is deleted stays so, and the answer says that.
TEST_F(WriteDeadlinesTest, ADeletionOfManyThatTakesTooLongSaysHowFarItHasCome) {
  world_.create_namespace("ns");
  for (const auto* name : {"a", "b", "c", "d"}) world_.create_config(name);
  int deleted = 0;
  store_.pass_on([&] {
    if (++deleted == 2) world_.clock.advance(seconds(5));
  });
  send(http::Method::kDelete, "DELETE", "/api/v1/namespaces/ns/configmaps?timeout=5s", "");
  ASSERT_TRUE(::chandler::testing::eventually([&] { return !answers_.first().empty(); }));
  EXPECT_NE(answers_.first().find("504 "), std::string::npos) << answers_.first();
  EXPECT_NE(answers_.first().find("2 of 4 objects are deleted"), std::string::npos) << answers_.first();
  EXPECT_EQ(deleted, 2);
}

TEST_F(WriteDeadlinesTest, EveryWritingVerbIsBounded) {
  struct Row {
    const char* reason;
    http::Method method;
    const char* verb;
    const char* target;
    const char* body;
  };
  world_.create_namespace("b");
  const Row rows[] = {
      {"create", http::Method::kPost, "POST", "/api/v1/namespaces", R"({"metadata":{"name":"a"}})"},
      {"update", http::Method::kPut, "PUT", "/api/v1/namespaces/b",
       R"({"metadata":{"name":"b","labels":{"new":"one"}}})"},
      {"delete", http::Method::kDelete, "DELETE", "/api/v1/namespaces/b", ""},
  };
  for (const auto& row : rows) {
    send(row.method, row.verb, row.target, row.body);
    ASSERT_EQ(store_.waiting(), 1u) << row.reason << ": " << answers_.first();
    const auto overdue = timer_.writes().take_due(world_.clock.mono() + WriteDeadlines::kLongest);
    EXPECT_EQ(overdue.size(), 1u) << row.reason;
    store_.answer_all(unavailable("next row"));
  }
}

TEST_F(WriteDeadlinesTest, ATimeoutThatIsNoDurationIsRefused) {
  create("?timeout=soon");
  EXPECT_EQ(store_.waiting(), 0u);
  EXPECT_NE(answers_.first().find("400 "), std::string::npos) << answers_.first();
}

TEST(RequestTimeout, IsWhatTheClientAsksForWithinBounds) {
  struct Row {
    const char* reason;
    const char* parameter;
    std::chrono::nanoseconds want;
  };
  const Row rows[] = {
      {"not said", "", WriteDeadlines::kLongest},
      {"less", "1.5s", std::chrono::milliseconds(1500)},
      {"more than is allowed", "1h", WriteDeadlines::kLongest},
      {"none counts as not said", "0s", WriteDeadlines::kLongest},
      {"negative counts as not said", "-5s", WriteDeadlines::kLongest},
  };
  for (const auto& row : rows) {
    const auto got = request_timeout(row.parameter);
    ASSERT_TRUE(got.ok()) << row.reason;
    EXPECT_EQ(*got, row.want) << row.reason;
  }
  EXPECT_FALSE(request_timeout("30").ok()) << "a number needs a unit";
}

}  // namespace
}  // namespace chandler::apiserver
