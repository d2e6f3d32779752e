#include "http/outgoing_body.h"

#include <gtest/gtest.h>

#include "http/gzip.h"
#include "http/http2_test_pair.h"

namespace chandler::http {
namespace {

using testing::PieceSource;
using testing::Script;
using testing::ScriptSource;
using State = OutgoingBody::State;

TEST(OutgoingBody, NeverGivesMoreThanIsAskedFor) {
  for (const size_t limit : {1U, 999U, 1000U, 5000U}) {
    Response response;
    response.source = std::make_unique<PieceSource>(20'000, 3000);
    response.content_length = 20'000;
    OutgoingBody body(std::move(response));
    std::string all;
    State state = State::kMore;
    while (state == State::kMore) {
      const size_t before = all.size();
      state = body.take(all, limit);
      ASSERT_LE(all.size() - before, limit);
      ASSERT_TRUE(state != State::kMore || all.size() > before);
    }
    std::string expected;
    PieceSource(20'000, 3000).fill(expected, 20'000);
    EXPECT_EQ(state, State::kEnd);
    EXPECT_TRUE(all == expected) << limit;
  }
}

TEST(OutgoingBody, WaitsUntilItIsWokenAndLosesNothing) {
  const auto script = std::make_shared<Script>();
  Response response;
  response.source = std::make_unique<ScriptSource>(script);
  OutgoingBody body(std::move(response));
  std::string all;
  script->words = "one";
  EXPECT_EQ(body.take(all, 2), State::kMore);
  EXPECT_TRUE(body.is_due());
  EXPECT_EQ(body.take(all, 100), State::kWaiting);
  EXPECT_EQ(all, "one");
  EXPECT_FALSE(body.is_due());
  script->words = "two";
  EXPECT_EQ(body.take(all, 100), State::kWaiting) << "nobody woke it";
  EXPECT_EQ(all, "one");
  body.wake();
  EXPECT_EQ(body.take(all, 100), State::kWaiting);
  EXPECT_EQ(all, "onetwo");
  body.shut_down();
  EXPECT_EQ(body.take(all, 100), State::kEnd);
  EXPECT_EQ(all, "onetwobye");
}

TEST(OutgoingBody, PrefetchTellsWhetherThereIsSomething) {
  const auto script = std::make_shared<Script>();
  Response response;
  response.source = std::make_unique<ScriptSource>(script);
  OutgoingBody body(std::move(response));
  body.wake();
  body.prefetch(100);
  EXPECT_FALSE(body.is_due());
  script->words = "now";
  body.wake();
  body.prefetch(100);
  EXPECT_TRUE(body.is_due());
  script->words = "later";
  body.prefetch(100);
  EXPECT_EQ(script->words, "later") << "one piece is enough to know";
  std::string all;
  EXPECT_EQ(body.take(all, 100), State::kWaiting);
  EXPECT_EQ(all, "now");
}

TEST(OutgoingBody, ASourceThatGathersBeforeItGivesIsAskedAgain) {
  Response response;
  response.source = gzip(std::make_unique<PieceSource>(1'000'000, 1000));
  OutgoingBody body(std::move(response));
  std::string all;
  int turns = 0;
  while (body.take(all, 1000) == State::kMore) ASSERT_LT(++turns, 10'000);
  std::string plain;
  PieceSource(1'000'000, 1000).fill(plain, 1'000'000);
  EXPECT_GT(all.size(), 20U);
  EXPECT_LT(all.size(), plain.size() / 4);
}

}  // namespace
}  // namespace chandler::http
