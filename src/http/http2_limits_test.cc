// What a client cannot do to us over HTTP/2.
#include <gtest/gtest.h>

#include "http/http2_session.h"
#include "http/http2_test_pair.h"

namespace chandler::http {
namespace {

using testing::Http2Pair;
using testing::PieceSource;
using testing::raw_frame;
using testing::Script;
using testing::streaming;

constexpr std::string_view kFourBytes{"\0\0\0\x01", 4};

Http2Limits small_limits() {
  Http2Limits limits;
  limits.max_streams = 10;
  limits.max_header_bytes = 4096;
  limits.max_body_bytes = 100'000;
  limits.max_held_bytes = 250'000;
  return limits;
}

TEST(Http2Limits, StreamsBeyondTheLimitAreRefused) {
  Http2Pair pair(small_limits());
  pair.keep = true;
  std::vector<int32_t> ids;
  // All at once, before the client has seen the limit.
  for (int i = 0; i < 12; ++i) ids.push_back(pair.peer.get("/"));
  const std::string all = pair.peer.output();
  pair.session().receive(all);
  pair.exchange();
  EXPECT_EQ(pair.session().streams(), 10U);
  EXPECT_EQ(pair.peer.answer(ids[10]).reset, NGHTTP2_REFUSED_STREAM);
  EXPECT_EQ(pair.peer.answer(ids[11]).reset, NGHTTP2_REFUSED_STREAM);
}

TEST(Http2Limits, ARequestThatWasResetKeepsItsPlaceWhileTheHandlerWorks) {
  Http2Pair pair(small_limits());
  pair.keep = true;
  for (int i = 0; i < 10; ++i) {
    const int32_t id = pair.peer.get("/");
    pair.exchange();
    pair.peer.reset(id);
    pair.exchange();
  }
  EXPECT_EQ(pair.session().streams(), 0U);
  const int32_t refused = pair.peer.get("/");
  pair.exchange();
  EXPECT_EQ(pair.peer.answer(refused).reset, NGHTTP2_REFUSED_STREAM);
  EXPECT_EQ(pair.requests.size(), 10U);
  pair.session().respond(pair.requests[0].first, {});
  pair.peer.get("/");
  pair.exchange();
  EXPECT_EQ(pair.requests.size(), 11U);
}

TEST(Http2Limits, RapidResetsEndTheConnection) {
  Http2Pair pair;
  for (int i = 0; i < 600 && !pair.peer.goaway(); ++i) {
    const int32_t id = pair.peer.get("/");
    std::string bytes = pair.peer.output();
    pair.peer.reset(id);
    bytes += pair.peer.output();
    pair.session().receive(bytes);
    pair.exchange();
  }
  EXPECT_EQ(pair.peer.goaway(), NGHTTP2_ENHANCE_YOUR_CALM);
  EXPECT_TRUE(pair.session().is_over());
  EXPECT_TRUE(pair.session().was_calmed());
}

TEST(Http2Limits, SoDoResetsThatTheClientMakesUsSend) {
  Http2Pair pair;
  pair.answer = [](const Request&) { return streaming(std::make_shared<Script>()); };
  for (int i = 0; i < 600 && !pair.peer.goaway(); ++i) {
    const int32_t id = pair.peer.get("/");
    std::string bytes = pair.peer.output();
    // A window that overflows is a fault of the stream, and ours to reset.
    bytes += raw_frame(8, 0, id, "\x7F\xFF\xFF\xFF");
    pair.session().receive(bytes);
    pair.exchange();
  }
  EXPECT_EQ(pair.peer.goaway(), NGHTTP2_ENHANCE_YOUR_CALM);
}

TEST(Http2Limits, AClientThatResetsNowAndThenIsLeftAlone) {
  Http2Pair pair;
  for (int i = 0; i < 2000; ++i) {
    const int32_t id = pair.peer.get("/");
    pair.exchange();
    pair.peer.reset(id);
    pair.pass(std::chrono::milliseconds(100));
  }
  EXPECT_FALSE(pair.peer.goaway());
}

TEST(Http2Limits, FramesThatCarryNothingEndTheConnectionWhenThereAreTooMany) {
  struct Row {
    std::string name;
    std::string reason;
    std::string frame;
  };
  const std::vector<Row> rows = {
      {"ping", "each wants an answer", raw_frame(6, 0, 0, "12345678")},
      {"settings", "each wants an answer", raw_frame(4, 0, 0)},
      {"settings of windows", "each touches all streams", raw_frame(4, 0, 0, {"\0\x04\0\0\xFF\xFF", 6})},
      {"empty data", "costs us and moves no window", raw_frame(0, 0, 1)},
      {"padding", "nothing but padding is nothing", raw_frame(0, 8, 1, {"\x01\0", 2})},
      {"priority", "is ignored, but read", raw_frame(2, 0, 1, {"\0\0\0\0\x10", 5})},
      {"window update", "by single bytes", raw_frame(8, 0, 0, kFourBytes)},
      {"unknown", "is passed over, but read", raw_frame(0xFA, 0, 0)},
  };
  for (const Row& row : rows) {
    Http2Pair pair;
    pair.peer.request("POST", "/", {}, "", true);
    pair.exchange();
    std::string some;
    for (int i = 0; i < 100; ++i) some += row.frame;
    pair.peer.raw(some);
    pair.exchange();
    EXPECT_FALSE(pair.session().was_calmed()) << row.name << ": a hundred are no flood";
    for (int i = 0; i < 100 && !pair.session().was_calmed(); ++i) {
      pair.session().receive(some);
      pair.exchange();
    }
    // Settings by hand confuse the client, so that it is not asked.
    EXPECT_TRUE(pair.session().was_calmed()) << row.name << ": " << row.reason;
    EXPECT_TRUE(pair.session().is_over()) << row.name;
  }
}

TEST(Http2Limits, AClientThatDoesNotReadAnswersToPingsIsEnded) {
  Http2Pair pair;
  pair.exchange();
  std::string pings;
  for (int i = 0; i < 1500; ++i) pings += raw_frame(6, 0, 0, "12345678");
  pair.session().receive(pings);
  pair.exchange();
  EXPECT_EQ(pair.peer.goaway(), NGHTTP2_ENHANCE_YOUR_CALM);
}

TEST(Http2Limits, WindowUpdatesThatAnswerContentAreNoFlood) {
  Http2Pair pair({}, 4096);
  pair.peer.open_window(0, 1 << 30);
  pair.answer = [](const Request&) {
    Response response;
    response.source = std::make_unique<PieceSource>(20'000'000, 1000);
    return response;
  };
  const int32_t id = pair.peer.get("/");
  pair.exchange();
  while (!pair.peer.is_settled(id)) {
    // As Go's client does: one for the stream, one for the connection, every 4 KiB.
    pair.peer.open_window(id, 4096);
    pair.peer.open_window(0, 1);
    pair.exchange();
    ASSERT_FALSE(pair.peer.goaway());
  }
  EXPECT_EQ(pair.peer.answer(id).body.size(), 20'000'000U);
}

TEST(Http2Limits, ContinuationsWithoutEndEndTheConnection) {
  Http2Pair pair;
  pair.exchange();
  pair.session().receive(raw_frame(1, 0x1, 1, "\x82"));
  for (int i = 0; i < 20; ++i) pair.session().receive(raw_frame(9, 0, 1));
  pair.exchange();
  EXPECT_EQ(pair.peer.goaway(), NGHTTP2_ENHANCE_YOUR_CALM);
  EXPECT_TRUE(pair.session().is_over());
  EXPECT_TRUE(pair.requests.empty());
}

TEST(Http2Limits, ABodyThatIsTooLargeIsAnsweredWith413AndNotReadOn) {
  Http2Pair pair(small_limits());
  const int32_t announced = pair.peer.request("POST", "/", {{"content-length", "100001"}}, "", true);
  const int32_t sent = pair.peer.request("POST", "/", {}, std::string(100'001, 'x'), true);
  pair.exchange();
  for (const int32_t id : {announced, sent}) {
    EXPECT_EQ(pair.peer.answer(id).status, 413);
    EXPECT_TRUE(pair.peer.answer(id).complete);
    EXPECT_FALSE(pair.peer.answer(id).reset) << "the client has time to see the answer";
  }
  pair.pass(testing::kTestLinger);
  for (const int32_t id : {announced, sent}) EXPECT_EQ(pair.peer.answer(id).reset, NGHTTP2_NO_ERROR);
  EXPECT_TRUE(pair.requests.empty());
  EXPECT_TRUE(pair.session().is_idle());
  const int32_t fine = pair.peer.request("POST", "/", {}, std::string(100'000, 'x'));
  pair.exchange();
  EXPECT_EQ(pair.peer.answer(fine).status, 200);
}

TEST(Http2Limits, WhatComesAfterTheAnswerIsThrownAway) {
  Http2Pair pair(small_limits());
  const int32_t id = pair.peer.request("POST", "/", {}, std::string(2'000'000, 'x'));
  pair.exchange();
  EXPECT_EQ(pair.peer.answer(id).status, 413);
  EXPECT_FALSE(pair.peer.answer(id).reset) << "the client sent all of it, and that was the end";
  EXPECT_TRUE(pair.session().is_idle());
}

TEST(Http2Limits, BodiesOfAllStreamsTogetherAreBounded) {
  Http2Pair pair(small_limits());
  pair.keep = true;
  std::vector<int32_t> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(pair.peer.request("POST", "/", {}, std::string(90'000, 'x')));
  pair.exchange();
  EXPECT_EQ(pair.requests.size(), 2U);
  int refused = 0;
  for (const int32_t id : ids) refused += pair.peer.answer(id).status == 429 ? 1 : 0;
  EXPECT_EQ(refused, 1);
  pair.session().respond(pair.requests[0].first, {});
  pair.peer.request("POST", "/", {}, std::string(90'000, 'x'));
  pair.exchange();
  EXPECT_EQ(pair.requests.size(), 3U) << "an answer makes room";
}

TEST(Http2Limits, ABodyThatDoesNotComeIsAnsweredWith408) {
  Http2Pair pair;
  const int32_t slow = pair.peer.request("POST", "/", {}, "begun", true);
  pair.exchange();
  pair.pass(testing::kTestBody);
  EXPECT_EQ(pair.peer.answer(slow).status, 408);
  pair.pass(testing::kTestLinger);
  EXPECT_EQ(pair.peer.answer(slow).reset, NGHTTP2_NO_ERROR);
  EXPECT_TRUE(pair.session().is_idle());
}

TEST(Http2Limits, AClientThatNeverBeginsIsEnded) {
  for (const std::string_view begun : {std::string_view(), FrameScanner::kPreface.substr(0, 10)}) {
    Http2Pair pair;
    pair.session().receive(begun);
    pair.pass(testing::kTestHead);
    EXPECT_TRUE(pair.session().is_over());
  }
}

TEST(Http2Limits, AHeaderBlockThatDoesNotEndIsNotWaitedFor) {
  struct Row {
    std::string reason;
    std::string begun;
  };
  const std::vector<Row> rows = {
      {"a frame that is cut", raw_frame(1, 0x5, 1, std::string(100, '\x82')).substr(0, 30)},
      {"a block without its end", raw_frame(1, 0x1, 1, "\x82")},
  };
  for (const Row& row : rows) {
    Http2Pair pair;
    pair.exchange();
    pair.pass(testing::kTestHead * 2);
    EXPECT_FALSE(pair.session().is_over()) << "nothing is owed";
    pair.session().receive(row.begun);
    pair.pass(testing::kTestHead);
    EXPECT_TRUE(pair.session().is_over()) << row.reason;
  }
}

TEST(Http2Limits, AClosedWindowStopsTheSourceAndIsCutOff) {
  Http2Pair pair({}, 10'000);
  size_t given = 0;
  pair.answer = [&](const Request&) {
    Response response;
    response.source = std::make_unique<PieceSource>(1UL << 40, 1000, &given);
    return response;
  };
  const int32_t id = pair.peer.get("/");
  pair.exchange();
  EXPECT_EQ(pair.peer.answer(id).body.size(), 10'000U);
  EXPECT_LE(given, 11'000U) << "no more is asked for than can be sent";
  pair.pass(testing::kTestWrite - std::chrono::milliseconds(1));
  EXPECT_FALSE(pair.peer.answer(id).reset);
  pair.pass(std::chrono::milliseconds(1));
  EXPECT_EQ(pair.peer.answer(id).reset, NGHTTP2_CANCEL);
  EXPECT_TRUE(pair.session().is_idle());
  EXPECT_FALSE(pair.peer.goaway()) << "other streams are not concerned";
}

TEST(Http2Limits, AStreamThatWaitsForTheSocketIsNotBlamed) {
  Http2Pair pair;
  const int32_t id = pair.peer.get("/");
  pair.exchange();
  const int32_t waiting = pair.peer.get("/waiting");
  pair.session().receive(pair.peer.output());  // and nothing is written for a while
  pair.pass(testing::kTestWrite * 2);
  EXPECT_TRUE(pair.peer.answer(waiting).complete);
  EXPECT_TRUE(pair.peer.answer(id).complete);
}

TEST(Http2Limits, AWindowThatGrowsByCrumbsIsAsGoodAsClosed) {
  Http2Pair pair({}, 1);
  pair.answer = [](const Request&) {
    Response response;
    response.body = std::string(10'000, 'x');
    return response;
  };
  const int32_t id = pair.peer.get("/");
  pair.exchange();
  for (int i = 0; i < 20 && !pair.peer.is_settled(id); ++i) {
    pair.peer.open_window(id, 10);
    pair.pass(testing::kTestWrite / 10);
  }
  EXPECT_EQ(pair.peer.answer(id).reset, NGHTTP2_CANCEL);
}

TEST(Http2Limits, AWatchWhoseWindowIsClosedIsCutOffOnlyWhenThereIsSomethingToTell) {
  Http2Pair pair({}, 5);
  const auto script = std::make_shared<Script>();
  pair.answer = [&](const Request&) { return streaming(script); };
  const int32_t id = pair.peer.get("/watch");
  pair.exchange();
  script->say("event");
  pair.exchange();
  EXPECT_EQ(pair.peer.answer(id).body, "event");
  script->waker->wake();  // something happened that does not concern it
  pair.exchange();
  pair.pass(testing::kTestWrite * 3);
  EXPECT_FALSE(pair.peer.answer(id).reset);
  script->say("another");
  pair.exchange();
  pair.pass(testing::kTestWrite);
  EXPECT_EQ(pair.peer.answer(id).reset, NGHTTP2_CANCEL);
  EXPECT_TRUE(script->destroyed);
}

TEST(Http2Limits, ATrailerDoesNotPassForAHeader) {
  Http2Pair pair;
  const int32_t id = pair.peer.request("POST", "/", {}, "body", true);
  pair.exchange();
  // A literal field without indexing, "a: b", and the end of the stream.
  pair.session().receive(raw_frame(1, 0x5, id,
                                   {"\0\x01"
                                    "a\x01"
                                    "b",
                                    5}));
  pair.exchange();
  ASSERT_EQ(pair.requests.size(), 1U);
  EXPECT_FALSE(pair.requests[0].second->headers.has("a"));
  EXPECT_EQ(pair.requests[0].second->body, "body");
}

TEST(Http2Limits, NonsenseEndsTheConnection) {
  struct Row {
    std::string reason;
    std::string bytes;
  };
  const std::vector<Row> rows = {
      {"HTTP/1.1 where HTTP/2 was agreed on", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"},
      {"no settings first", std::string(FrameScanner::kPreface) + raw_frame(6, 0, 0, "12345678")},
      {"a frame that is too large",
       std::string(FrameScanner::kPreface) + raw_frame(4, 0, 0) + raw_frame(0, 0, 1, std::string(20'000, 'x'))},
      {"a push from a client",
       std::string(FrameScanner::kPreface) + raw_frame(4, 0, 0) + raw_frame(5, 4, 1, kFourBytes)},
      {"a stream of the server's numbers",
       std::string(FrameScanner::kPreface) + raw_frame(4, 0, 0) + raw_frame(1, 5, 2, "\x82\x86\x84")},
  };
  for (const Row& row : rows) {
    Http2Pair pair;
    pair.session().receive(row.bytes);
    std::string said;
    pair.session().produce(said, Http2Pair::kBudget);
    EXPECT_TRUE(pair.session().is_over()) << row.reason;
    EXPECT_TRUE(pair.requests.empty()) << row.reason;
  }
}

}  // namespace
}  // namespace chandler::http
