#include "http/request_parser.h"

#include <gtest/gtest.h>

#include <vector>

namespace chandler::http {
namespace {

using Progress = RequestParser::Progress;

constexpr size_t kHead = 1024;
constexpr size_t kBody = 64;

// Feeds the way a connection does: what is not taken is offered again with the next piece behind it.
Progress feed(RequestParser& parser, std::string_view bytes, size_t piece, std::string* rest = nullptr) {
  std::string kept;
  parser.start();
  while (!bytes.empty() && (parser.progress() == Progress::kHead || parser.progress() == Progress::kBody)) {
    kept += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
    kept.erase(0, parser.feed(kept));
  }
  if (rest) *rest = kept + std::string(bytes);
  return parser.progress();
}

TEST(RequestParser, ReadsARequestInPiecesOfAnySize) {
  const std::string wire =
      "POST /a?b=c HTTP/1.1\r\nHost: h\r\nX-Long:  v w \r\nContent-Length: 5\r\n\r\nhelloGET / HTTP/1.1\r\n";
  for (size_t piece = 1; piece <= wire.size(); ++piece) {
    RequestParser parser(kHead, kBody);
    std::string rest;
    ASSERT_EQ(feed(parser, wire, piece, &rest), Progress::kDone) << piece;
    EXPECT_TRUE(parser.keep_alive());
    const auto request = parser.take_request();
    EXPECT_EQ(request->method, Method::kPost);
    EXPECT_EQ(request->method_text, "POST");
    EXPECT_EQ(request->target, "/a?b=c");
    EXPECT_EQ(request->headers.get("x-long"), "v w");
    EXPECT_EQ(request->body, "hello");
    EXPECT_EQ(rest, "GET / HTTP/1.1\r\n") << piece;
  }
}

TEST(RequestParser, ReadsChunksAndKeepsTrailersOutOfTheHeaders) {
  const std::string wire =
      "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nX-Remote-User: admin\r\n\r\n";
  for (size_t piece = 1; piece <= wire.size(); ++piece) {
    RequestParser parser(kHead, kBody);
    std::string rest;
    ASSERT_EQ(feed(parser, wire, piece, &rest), Progress::kDone) << piece;
    const auto request = parser.take_request();
    EXPECT_EQ(request->body, "abcdefg");
    EXPECT_FALSE(request->headers.has("X-Remote-User"));
    EXPECT_EQ(rest, "");
  }
}

TEST(RequestParser, AnUnknownMethodIsPassedOn) {
  RequestParser parser(kHead, kBody);
  ASSERT_EQ(feed(parser, "BREW /pot HTTP/1.1\r\nHost: h\r\n\r\n", 1000), Progress::kDone);
  const auto request = parser.take_request();
  EXPECT_EQ(request->method, Method::kOther);
  EXPECT_EQ(request->method_text, "BREW");
}

TEST(RequestParser, KnowsWhenTheConnectionEnds) {
  const std::vector<std::pair<std::string, bool>> rows = {
      {"GET / HTTP/1.1\r\nHost: h\r\n\r\n", true},
      {"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", false},
      {"GET / HTTP/1.0\r\n\r\n", false},
      {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", false},
  };
  for (const auto& [wire, want] : rows) {
    RequestParser parser(kHead, kBody);
    ASSERT_EQ(feed(parser, wire, 1000), Progress::kDone) << wire;
    EXPECT_EQ(parser.keep_alive(), want) << wire;
  }
}

TEST(RequestParser, RefusesWhatIsWrongOrTooLarge) {
  struct Row {
    std::string name, reason, wire;
    int want;
  };
  const std::string start = "POST / HTTP/1.1\r\nHost: h\r\n";
  const std::vector<Row> rows = {
      {"garbage", "not HTTP", "\x16\x03\x01\x02", 400},
      {"version", "HTTP/2 has another form", "GET / HTTP/2.0\r\n\r\n", 400},
      {"space before colon", "RFC 9112 5.1: proxies read it differently", start + "A : b\r\n\r\n", 400},
      {"no host", "RFC 9112 3.2", "GET / HTTP/1.1\r\n\r\n", 400},
      {"two hosts", "RFC 9112 3.2", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
      {"two lengths", "request smuggling", start + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400},
      {"negative length", "not a number", start + "Content-Length: -1\r\n\r\n", 400},
      {"length and chunked", "request smuggling", start + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
       400},
      {"chunked and length", "request smuggling", start + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n",
       400},
      {"unknown coding", "its end cannot be found", start + "Transfer-Encoding: gzip\r\n\r\n", 501},
      {"coding after chunked", "its end cannot be found", start + "Transfer-Encoding: chunked, gzip\r\n\r\n", 501},
      {"bad chunk size", "not hexadecimal", start + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400},
      {"long body", "announced above the limit", start + "Content-Length: 65\r\n\r\n", 413},
      {"long chunk", "chunks add up", start + "Transfer-Encoding: chunked\r\n\r\n41\r\n", 413},
      {"long target", "the line alone is above the limit", "GET /" + std::string(2000, 'a'), 431},
      {"long field", "one field is above the limit", start + "A: " + std::string(2000, 'a'), 431},
      {"many fields", "together they are above the limit",
       start +
           [] {
             std::string fields;
             for (int i = 0; i < 300; ++i) fields += "A: b\r\n";
             return fields;
           }(),
       431},
      {"endless chunk line", "extensions are kept until their end",
       start + "Transfer-Encoding: chunked\r\n\r\n1;" + std::string(2000, 'a'), 431},
      {"endless trailers", "trailers are kept until their end",
       start + "Transfer-Encoding: chunked\r\n\r\n0\r\nA: " + std::string(2000, 'a'), 431},
  };
  for (const Row& row : rows) {
    for (const size_t piece : {size_t{1}, size_t{7}, row.wire.size()}) {
      RequestParser parser(kHead, kBody);
      EXPECT_EQ(feed(parser, row.wire, piece), Progress::kFailed) << row.name << ": " << row.reason;
      EXPECT_EQ(parser.status(), row.want) << row.name << ": " << row.reason << ": " << parser.problem();
    }
  }
}

TEST(RequestParser, AllowsFourKibibytesBetweenChunks) {
  const std::string start = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string before : {"1;", "0\r\nA: "}) {
    RequestParser parser(64 * 1024, kBody);
    const std::string end = before == "1;" ? "\r\nx\r\n0\r\n\r\n" : "\r\n\r\n";
    EXPECT_EQ(feed(parser, start + before + std::string(4000, 'a') + end, 100), Progress::kDone) << before;
    EXPECT_EQ(feed(parser, start + before + std::string(5000, 'a') + end, 100), Progress::kFailed) << before;
    EXPECT_EQ(parser.status(), 431) << before;
  }
}

TEST(RequestParser, CanBeginAgainAfterAFailure) {
  RequestParser parser(kHead, kBody);
  ASSERT_EQ(feed(parser, "???\r\n\r\n", 1000), Progress::kFailed);
  EXPECT_EQ(feed(parser, "GET / HTTP/1.1\r\nHost: h\r\n\r\n", 1000), Progress::kDone);
}

TEST(RequestParser, SeesTheWishForContinue) {
  RequestParser parser(kHead, kBody);
  const std::string wire = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nExpect: 100-Continue\r\n\r\n";
  ASSERT_EQ(feed(parser, wire, 1000), Progress::kBody);
  EXPECT_TRUE(parser.expects_continue());
}

}  // namespace
}  // namespace chandler::http
