#include "osb/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "osb/client/sender.h"

namespace chandler::osb {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Kind = http::ClientFailure::Kind;

constexpr Method kPolls[] = {Method::kPollInstance, Method::kPollBinding};

Call call_of(Method method) {
  Call call;
  call.method = method;
  return call;
}

Answer http_answer(const Call& call, int status, std::string body) {
  http::ClientResponse response;
  response.status = status;
  response.body = std::move(body);
  return to_answer(call.method, std::move(response));
}

Answer no_answer(Kind kind, bool sent = false) {
  Answer answer;
  answer.failure = http::ClientFailure{kind, "broker.test:443: cause", sent};
  return answer;
}

// One line of the platform's duties, column by column; "-" where the answer cannot be.
struct Row {
  std::string reason;
  std::function<Answer(const Call&)> answer;
  std::string provision, bind, update, remove, catalog, fetch;
  std::string flags;  // b breaker, f broker at fault, r refetch
};

std::function<Answer(const Call&)> status(int code, std::string body = "{}") {
  return [code, body](const Call& call) { return http_answer(call, code, body); };
}
std::function<Answer(const Call&)> word(const std::string& error) {
  return status(422, R"({"error":")" + error + R"(","description":"why"})");
}
std::function<Answer(const Call&)> none(Kind kind, bool sent = false) {
  return [=](const Call&) { return no_answer(kind, sent); };
}

std::string flags_of(const Verdict& verdict) {
  return std::string(verdict.breaker ? "b" : "") + (verdict.broker_at_fault ? "f" : "") +
         (verdict.refetch_catalog ? "r" : "");
}

TEST(Judge, EveryCellOfTheTable) {
  const std::vector<Row> rows{
      {"200: existed already", status(200, R"({"services":[]})"), "done", "done", "done", "done", "done", "done", ""},
      {"200 malformed: likely there, so no clean-up", status(200, "[]"), "retry", "retry", "retry", "retry", "retry",
       "retry", ""},
      {"200 empty: fine for deletes only", status(200, ""), "retry", "retry", "retry", "done", "retry", "retry", ""},
      {"201", status(201, R"({"services":[]})"), "done", "done", "done", "done", "retry", "retry", ""},
      {"201 malformed", status(201, "x"), "clean up", "clean up", "retry", "retry", "retry", "retry", ""},
      {"202", status(202, R"({"services":[]})"), "poll", "poll", "poll", "poll", "retry", "retry", ""},
      {"202 malformed", status(202, R"({"operation":[],"services":1})"), "clean up", "clean up", "retry", "retry",
       "retry", "retry", ""},
      {"204", status(204, ""), "clean up", "clean up", "retry", "retry", "retry", "retry", ""},
      {"206", status(206), "clean up", "clean up", "retry", "retry", "retry", "retry", ""},
      {"301", status(301), "rejected", "rejected", "rejected", "rejected", "rejected", "rejected", ""},
      {"304 unasked", status(304), "rejected", "rejected", "rejected", "rejected", "rejected", "rejected", ""},
      {"307", status(307), "rejected", "rejected", "rejected", "rejected", "rejected", "rejected", ""},
      {"400", status(400), "rejected", "rejected", "rejected", "rejected", "retry", "rejected", ""},
      {"401 is the broker's matter, never terminal", status(401), "retry", "retry", "retry", "retry", "retry", "retry",
       "f"},
      {"403", status(403, ""), "retry", "retry", "retry", "retry", "retry", "retry", "f"},
      {"404", status(404), "rejected", "rejected", "rejected", "rejected", "retry", "rejected", ""},
      {"405", status(405), "rejected", "rejected", "rejected", "rejected", "retry", "rejected", ""},
      {"408: not received", status(408), "retry", "retry", "retry", "retry", "retry", "retry", ""},
      {"409: exists with other attributes", status(409), "look again", "look again", "rejected", "rejected", "retry",
       "rejected", ""},
      {"410: deleting what is gone is done", status(410, ""), "rejected", "rejected", "rejected", "done", "retry",
       "rejected", ""},
      {"412", status(412), "retry", "retry", "retry", "retry", "retry", "retry", "f"},
      {"AsyncRequired", word("AsyncRequired"), "send async", "send async", "send async", "send async", "retry",
       "rejected", ""},
      {"ConcurrencyError: wait", word("ConcurrencyError"), "retry", "retry", "retry", "retry", "retry", "retry", ""},
      {"RequiresApp: we have none", word("RequiresApp"), "rejected", "rejected", "rejected", "rejected", "retry",
       "rejected", ""},
      {"plain 422", word("QuotaExceeded"), "rejected", "rejected", "rejected", "rejected", "retry", "rejected", ""},
      {"words count in whole and in their case", word("concurrencyerror"), "rejected", "rejected", "rejected",
       "rejected", "retry", "rejected", ""},
      {"422 without JSON", status(422, "<html>"), "rejected", "rejected", "rejected", "rejected", "retry", "rejected",
       ""},
      {"429", status(429), "retry", "retry", "retry", "retry", "retry", "retry", ""},
      {"a known word with another status", status(400, R"({"error":"ConcurrencyError"})"), "rejected", "rejected",
       "rejected", "rejected", "retry", "rejected", ""},
      {"500", status(500), "clean up", "clean up", "retry", "retry", "retry", "retry", "b"},
      {"503 without JSON", status(503, "busy"), "clean up", "clean up", "retry", "retry", "retry", "retry", "b"},
      {"no such status", status(999), "clean up", "clean up", "retry", "retry", "retry", "retry", ""},
      {"timeout after sending", none(Kind::kTimeout, true), "clean up", "clean up", "retry", "retry", "retry", "retry",
       "b"},
      {"broken after sending", none(Kind::kBroken, true), "clean up", "clean up", "retry", "retry", "retry", "retry",
       "b"},
      {"an answer too large to read", none(Kind::kTooLarge, true), "clean up", "clean up", "retry", "retry", "retry",
       "retry", ""},
      {"never sent", none(Kind::kConnect), "retry", "retry", "retry", "retry", "retry", "retry", "b"},
      {"address not allowed", none(Kind::kRefused), "retry", "retry", "retry", "retry", "retry", "retry", "f"},
      {"URL or certificates unusable", none(Kind::kBadRequest), "retry", "retry", "retry", "retry", "retry", "retry",
       "f"},
      {"stopped while under way", none(Kind::kCancelled, true), "clean up", "clean up", "retry", "retry", "retry",
       "retry", ""},
      {"stopped before", none(Kind::kCancelled), "retry", "retry", "retry", "retry", "retry", "retry", ""},
  };
  for (const Row& row : rows) {
    const std::vector<std::pair<Method, std::string>> cells{
        {Method::kProvision, row.provision}, {Method::kBind, row.bind},       {Method::kUpdate, row.update},
        {Method::kDeprovision, row.remove},  {Method::kUnbind, row.remove},   {Method::kGetCatalog, row.catalog},
        {Method::kGetInstance, row.fetch},   {Method::kGetBinding, row.fetch}};
    for (const auto& [method, want] : cells) {
      Call call = call_of(method);
      call.accepts_incomplete = false;
      const Verdict verdict = judge(call, row.answer(call));
      EXPECT_EQ(consequence_name(verdict.consequence), want) << row.reason << " / " << method_name(method);
      EXPECT_EQ(flags_of(verdict), row.flags) << row.reason << " / " << method_name(method);
      EXPECT_NE(verdict.message, "");
      EXPECT_EQ(verdict.message.find('\n'), std::string::npos);
    }
  }
}

TEST(Judge, AMaintenanceConflictAsksForTheCatalog) {
  struct Want {
    Method method;
    std::string_view consequence;
    bool refetch;
  };
  for (const Want& want :
       {Want{Method::kProvision, "retry", true}, Want{Method::kUpdate, "retry", true},
        Want{Method::kDeprovision, "rejected", false}, Want{Method::kGetInstance, "rejected", false}}) {
    const Call call = call_of(want.method);
    const Verdict verdict = judge(call, word("MaintenanceInfoConflict")(call));
    EXPECT_EQ(consequence_name(verdict.consequence), want.consequence) << method_name(want.method);
    EXPECT_EQ(verdict.refetch_catalog, want.refetch) << method_name(want.method);
  }
}

TEST(Judge, AsyncIsNotAskedForTwice) {
  Call call = call_of(Method::kProvision);
  call.accepts_incomplete = true;
  const Verdict verdict = judge(call, word("AsyncRequired")(call));
  EXPECT_EQ(verdict.consequence, Consequence::kRejected);
  EXPECT_THAT(verdict.message, HasSubstr("accepts_incomplete"));
}

TEST(Judge, ACatalogThatWasAskedForByTagMayBeUnchanged) {
  Call call = call_of(Method::kGetCatalog);
  call.etag = "\"1\"";
  EXPECT_EQ(judge(call, http_answer(call, 304, "")).consequence, Consequence::kNotModified);
}

TEST(Judge, PollsGoOnUnlessTheAnswerSaysSomething) {
  for (const Method method : kPolls) {
    const Call call = call_of(method);
    EXPECT_EQ(judge(call, http_answer(call, 200, R"({"state":"failed"})")).consequence, Consequence::kDone);
    EXPECT_EQ(judge(call, http_answer(call, 410, "")).consequence, Consequence::kDone);
    for (const int code : {201, 202, 204, 302, 400, 401, 404, 408, 409, 422, 429, 500}) {
      EXPECT_EQ(judge(call, http_answer(call, code, "")).consequence, Consequence::kPoll) << code;
    }
    EXPECT_TRUE(judge(call, http_answer(call, 401, "")).broker_at_fault);
    EXPECT_TRUE(judge(call, no_answer(Kind::kTimeout, true)).breaker);
  }
}

TEST(Judge, MessagesSayWhatHappenedAndWhatToDo) {
  struct Want {
    std::function<Answer(const Call&)> answer;
    std::string message;
  };
  for (const Want& want : std::vector<Want>{
           {status(400, R"({"error":"BadThing","description":"size is too small"})"),
            "the broker answered 400 BadThing: size is too small"},
           {status(500, ""), "the broker answered 500"},
           {status(201, R"({"credentials":"hunter2"})"),
            "the broker answered 201 with a malformed body: credentials must be an object"},
           {status(302),
            "the broker answered 302; redirects are not followed: the broker's URL must be its final address"},
           {status(401), "the broker answered 401; check the credentials that the broker's authInfo refers to"},
           {status(412), "the broker answered 412; it does not accept the version of the API that was sent"},
           {none(Kind::kConnect), "the broker cannot be reached: broker.test:443: cause"},
           {none(Kind::kTimeout), "there is no answer from the broker: broker.test:443: cause"}}) {
    const Call call = call_of(Method::kBind);
    EXPECT_EQ(judge(call, want.answer(call)).message, want.message);
  }
}

TEST(Poll, ReadsStates) {
  struct Want {
    std::string reason;
    int code;
    std::string body;
    PollState state;
    bool usable = true;
    bool repeatable = true;
  };
  for (const Want& want : std::vector<Want>{
           {"in progress", 200, R"({"state":"in progress","description":"d"})", PollState::kInProgress},
           {"succeeded", 200, R"({"state":"succeeded"})", PollState::kSucceeded},
           {"failed", 200, R"({"state":"failed"})", PollState::kFailed},
           {"failed for good", 200, R"({"state":"failed","instance_usable":false,"update_repeatable":false})",
            PollState::kFailed, false, false},
           {"gone; the caller knows whether that is good", 410, "", PollState::kGone},
           {"unknown", 404, "{}", PollState::kUnknown},
           {"no state", 200, "{}", PollState::kUnknown},
           {"another state", 200, R"({"state":"paused"})", PollState::kUnknown},
           {"malformed", 200, "<html>", PollState::kUnknown},
           {"another status", 201, R"({"state":"succeeded"})", PollState::kUnknown},
           {"refused", 400, R"({"state":"failed"})", PollState::kUnknown},
           {"server error", 500, R"({"state":"succeeded"})", PollState::kUnknown}}) {
    for (const Method method : kPolls) {
      const Call call = call_of(method);
      const Poll poll = read_poll(call, http_answer(call, want.code, want.body));
      EXPECT_EQ(poll.state, want.state) << want.reason;
      EXPECT_EQ(poll.instance_usable, want.usable) << want.reason;
      EXPECT_EQ(poll.update_repeatable, want.repeatable) << want.reason;
    }
  }
  const Call call = call_of(Method::kPollInstance);
  EXPECT_EQ(read_poll(call, http_answer(call, 200, R"({"state":"in progress","description":"half"})")).description,
            "half");
  EXPECT_EQ(read_poll(call, no_answer(Kind::kTimeout, true)).state, PollState::kUnknown);
}

TEST(MethodName, IsAsMetricsHaveIt) {
  EXPECT_EQ(method_name(Method::kDeprovision), "DeprovisionInstance");
  EXPECT_EQ(method_name(Method::kPollBinding), "PollBindingLastOperation");
}

}  // namespace
}  // namespace chandler::osb
