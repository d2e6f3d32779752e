// Requests and answers over HTTP/2, seen from a client. What a client must not do is in http2_limits_test.cc.
#include "http/http2_session.h"

#include <gtest/gtest.h>

#include "http/http2_test_pair.h"

namespace chandler::http {
namespace {

using testing::Http2Pair;
using testing::PieceSource;
using testing::Script;
using testing::StreamAnswer;
using testing::streaming;

TEST(Http2Session, TheHandlerSeesWhatItSeesInHttp1) {
  Http2Pair pair;
  const int32_t id =
      pair.peer.request("POST", "/things?limit=5", {{"authorization", "Bearer x"}, {"accept", "a"}}, "body");
  pair.exchange();
  ASSERT_EQ(pair.requests.size(), 1U);
  const Request& request = *pair.requests[0].second;
  EXPECT_EQ(request.method, Method::kPost);
  EXPECT_EQ(request.method_text, "POST");
  EXPECT_EQ(request.target, "/things?limit=5");
  EXPECT_EQ(request.headers.get("Host"), "chandler.example");
  EXPECT_EQ(request.headers.get("Authorization"), "Bearer x");
  EXPECT_EQ(request.body, "body");
  for (const auto& [name, value] : request.headers.fields()) EXPECT_FALSE(name.starts_with(':')) << name;
  const StreamAnswer& answer = pair.peer.answer(id);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "POST /things?limit=5 body");
  EXPECT_EQ(answer.headers.at("content-length"), std::to_string(answer.body.size()));
  EXPECT_EQ(answer.headers.at("date"), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_TRUE(answer.complete);
  EXPECT_TRUE(pair.session().is_idle());
}

TEST(Http2Session, FieldsOfTheConnectionAndLineBreaksDoNotGoOut) {
  Http2Pair pair;
  pair.answer = [](const Request&) {
    Response response;
    response.headers.add("Connection", "close");
    response.headers.add("Transfer-Encoding", "chunked");
    response.headers.add("Warning", "299 - \"two\r\nlines\" ");
    return response;
  };
  const int32_t id = pair.peer.get("/");
  pair.exchange();
  const auto& headers = pair.peer.answer(id).headers;
  EXPECT_FALSE(headers.contains("connection"));
  EXPECT_FALSE(headers.contains("transfer-encoding"));
  EXPECT_EQ(headers.at("warning"), "299 - \"two  lines\"");
  EXPECT_EQ(headers.at("content-length"), "0");
}

TEST(Http2Session, ManyRequestsAreUnderWayAtOnceAndAnsweredInAnyOrder) {
  Http2Pair pair;
  pair.keep = true;
  std::vector<int32_t> ids;
  for (int i = 0; i < 100; ++i) ids.push_back(pair.peer.get("/" + std::to_string(i)));
  pair.exchange();
  ASSERT_EQ(pair.requests.size(), 100U);
  EXPECT_EQ(pair.session().streams(), 100U);
  for (auto it = pair.requests.rbegin(); it != pair.requests.rend(); ++it) {
    Response response;
    response.body = it->second->target;
    pair.session().respond(it->first, std::move(response));
  }
  pair.exchange();
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(pair.peer.answer(ids[static_cast<size_t>(i)]).body, "/" + std::to_string(i));
  }
  EXPECT_TRUE(pair.session().is_idle());
}

TEST(Http2Session, HeadAndAnswersWithoutBody) {
  struct Row {
    std::string reason;
    std::string method;
    int status;
    std::string length;  // "-": none
  };
  const std::vector<Row> rows = {
      {"HEAD announces what GET would send", "HEAD", 200, "4"},
      {"204 has no body and announces none", "GET", 204, "-"},
      {"304 as well", "GET", 304, "-"},
  };
  for (const Row& row : rows) {
    Http2Pair pair;
    pair.answer = [&](const Request&) {
      Response response;
      response.status = row.status;
      response.body = "text";
      return response;
    };
    const int32_t id = pair.peer.request(row.method, "/");
    pair.exchange();
    StreamAnswer& answer = pair.peer.answer(id);
    EXPECT_TRUE(answer.complete) << row.reason;
    EXPECT_EQ(answer.status, row.status) << row.reason;
    EXPECT_EQ(answer.body, "") << row.reason;
    EXPECT_EQ(answer.headers.contains("content-length") ? answer.headers["content-length"] : "-", row.length)
        << row.reason;
  }
}

TEST(Http2Session, BodyAndTailLeaveInOrderInFramesThatFitARecord) {
  Http2Pair pair;
  const auto owned = std::make_shared<std::string>(100'000, 't');
  pair.answer = [&](const Request&) {
    Response response;
    response.body = std::string(50'000, 'b');
    response.owner = owned;
    response.tail = *owned;
    return response;
  };
  const int32_t id = pair.peer.get("/");
  pair.exchange();
  EXPECT_EQ(pair.peer.answer(id).body, std::string(50'000, 'b') + *owned);
  EXPECT_EQ(pair.peer.answer(id).headers.at("content-length"), "150000");
  EXPECT_EQ(pair.peer.largest_frame(), 16U * 1024 - 9);
  EXPECT_EQ(owned.use_count(), 1);  // the answer is gone
}

TEST(Http2Session, ALongListArrivesWholeAndIsMadeAsItIsTaken) {
  for (const size_t piece : {1U, 1000U, 16'375U, 200'000U}) {
    Http2Pair pair;
    pair.answer = [&](const Request&) {
      Response response;
      response.source = std::make_unique<PieceSource>(3'000'000, piece);
      response.content_length = 3'000'000;
      return response;
    };
    const int32_t id = pair.peer.get("/");
    pair.exchange();
    std::string expected;
    PieceSource(3'000'000, piece).fill(expected, 3'000'000);
    EXPECT_TRUE(pair.peer.answer(id).body == expected) << piece;
    EXPECT_TRUE(pair.peer.answer(id).complete);
    EXPECT_LE(pair.largest_output, Http2Pair::kBudget + 16 * 1024) << "no more is made than is about to be sent";
  }
}

TEST(Http2Session, LargeAnswersTakeTurns) {
  Http2Pair pair({}, 1 << 24);
  pair.answer = [](const Request& request) {
    Response response;
    response.body = std::string(request.target == "/large" ? 4'000'000 : 10, 'x');
    return response;
  };
  pair.peer.open_window(0, 1 << 24);
  const int32_t large = pair.peer.get("/large", {{"priority", "u=0"}});
  const int32_t small = pair.peer.get("/small", {{"priority", "u=7"}});
  pair.session().receive(pair.peer.output());
  std::string said;
  pair.session().produce(said, Http2Pair::kBudget);
  pair.peer.input(said);
  EXPECT_TRUE(pair.peer.answer(small).complete) << "whatever the client says about priorities";
  EXPECT_FALSE(pair.peer.answer(large).complete);
}

TEST(Http2Session, AStreamSendsItsHeadAtOnceAndParksBetweenEvents) {
  Http2Pair pair;
  const auto script = std::make_shared<Script>();
  pair.answer = [&](const Request&) { return streaming(script); };
  const int32_t id = pair.peer.get("/watch");
  pair.exchange();
  EXPECT_EQ(pair.peer.answer(id).status, 200);
  EXPECT_FALSE(pair.peer.answer(id).headers.contains("content-length"));
  EXPECT_TRUE(pair.session().is_parked());
  for (int i = 0; i < 10; ++i) {
    pair.pass(testing::kTestWrite * 3);  // a parked stream owes nobody anything
    script->say("event");
    pair.exchange();
    EXPECT_EQ(pair.peer.answer(id).body.size(), static_cast<size_t>(i + 1) * 5);
    EXPECT_TRUE(pair.session().is_parked());
  }
  script->say("end", true);
  pair.exchange();
  EXPECT_TRUE(pair.peer.answer(id).complete);
  EXPECT_TRUE(script->destroyed);
  EXPECT_TRUE(pair.session().is_idle());
}

TEST(Http2Session, AResetEndsThatRequestAndNoOther) {
  Http2Pair pair;
  std::vector<std::shared_ptr<Script>> scripts;
  pair.answer = [&](const Request&) { return streaming(scripts.emplace_back(std::make_shared<Script>())); };
  const int32_t first = pair.peer.get("/1");
  const int32_t second = pair.peer.get("/2");
  pair.exchange();
  pair.peer.reset(first);
  pair.exchange();
  EXPECT_TRUE(scripts[0]->destroyed);
  EXPECT_FALSE(scripts[1]->destroyed);
  scripts[0]->waker->wake();  // nobody there
  scripts[1]->say("still here");
  pair.exchange();
  EXPECT_EQ(pair.peer.answer(second).body, "still here");
}

TEST(Http2Session, AnAnswerToARequestThatWasResetIsDropped) {
  Http2Pair pair;
  pair.keep = true;
  const int32_t id = pair.peer.get("/");
  pair.exchange();
  pair.peer.reset(id);
  pair.exchange();
  const auto script = std::make_shared<Script>();
  pair.session().respond(id, streaming(script));
  EXPECT_TRUE(script->destroyed);
  EXPECT_TRUE(pair.session().is_idle());
}

TEST(Http2Session, WhoWaitsForAContinueGetsIt) {
  Http2Pair pair;
  const int32_t id = pair.peer.request("PUT", "/", {{"expect", "100-continue"}}, "body");
  pair.exchange();
  EXPECT_TRUE(pair.peer.answer(id).continued);
  EXPECT_EQ(pair.peer.answer(id).body, "PUT / body");
}

TEST(Http2Session, ABodyThatIsNotWhatWasAnnouncedIsReset) {
  for (const size_t size : {10U, 30U}) {
    Http2Pair pair;
    pair.answer = [&](const Request&) {
      Response response;
      response.source = std::make_unique<PieceSource>(size, 10);
      response.content_length = 20;
      return response;
    };
    const int32_t id = pair.peer.get("/");
    pair.exchange();
    EXPECT_FALSE(pair.peer.answer(id).complete);
    EXPECT_EQ(pair.peer.answer(id).reset, NGHTTP2_INTERNAL_ERROR);
  }
}

TEST(Http2Session, DrainingEndsStreamsWithTheirLastWordsAndLetsRequestsFinish) {
  Http2Pair pair;
  const auto script = std::make_shared<Script>();
  pair.answer = [&](const Request&) { return streaming(script); };
  const int32_t watch = pair.peer.get("/watch");
  pair.exchange();
  pair.keep = true;
  const int32_t slow = pair.peer.get("/slow");
  pair.exchange();
  pair.session().drain();
  pair.exchange();
  EXPECT_EQ(pair.peer.goaway(), NGHTTP2_NO_ERROR);
  EXPECT_EQ(pair.peer.answer(watch).body, "bye");
  EXPECT_TRUE(pair.peer.answer(watch).complete);
  EXPECT_FALSE(pair.session().is_over());
  Response response;
  response.body = "done";
  pair.session().respond(slow, std::move(response));
  pair.exchange();
  EXPECT_EQ(pair.peer.answer(slow).body, "done");
  EXPECT_TRUE(pair.session().is_over());
}

TEST(Http2Session, AStreamThatBeginsWhileTheServerStopsIsAskedToEndToo) {
  Http2Pair pair;
  pair.keep = true;
  const int32_t id = pair.peer.get("/watch");
  pair.exchange();
  pair.session().drain();
  pair.session().respond(id, streaming(std::make_shared<Script>()));
  pair.exchange();
  EXPECT_EQ(pair.peer.answer(id).body, "bye");
  EXPECT_TRUE(pair.session().is_over());
}

TEST(Http2Session, AnAbortBreaksTheConnectionOff) {
  Http2Pair pair;
  pair.answer = [](const Request&) {
    Response response;
    response.abort = true;
    return response;
  };
  pair.peer.get("/");
  pair.exchange();
  EXPECT_TRUE(pair.broken_off);
}

}  // namespace
}  // namespace chandler::http
