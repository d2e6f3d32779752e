#include "http/wire.h"

#include <gtest/gtest.h>

namespace chandler::http {
namespace {

TEST(Wire, DateHasTheFixedForm) {
  EXPECT_EQ(http_date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
}

TEST(Wire, HeadFollowsItsFraming) {
  struct Row {
    std::string name, reason;
    int status;
    HeadInfo info;
    std::string want;
  };
  const std::vector<Row> rows = {
      {"length",
       "a known length is announced",
       200,
       {Framing::kLength, 42, false, "D"},
       "HTTP/1.1 200 OK\r\nDate: D\r\nX-A: b\r\nContent-Length: 42\r\n\r\n"},
      {"empty",
       "no body is length 0, or the client would wait",
       404,
       {Framing::kLength, 0, false, "D"},
       "HTTP/1.1 404 Not Found\r\nDate: D\r\nX-A: b\r\nContent-Length: 0\r\n\r\n"},
      {"chunked",
       "an unknown length goes out in chunks",
       200,
       {Framing::kChunked, 0, false, "D"},
       "HTTP/1.1 200 OK\r\nDate: D\r\nX-A: b\r\nTransfer-Encoding: chunked\r\n\r\n"},
      {"close",
       "the end of the connection is announced",
       200,
       {Framing::kUntilClose, 0, true, "D"},
       "HTTP/1.1 200 OK\r\nDate: D\r\nX-A: b\r\nConnection: close\r\n\r\n"},
      {"none",
       "204 has neither body nor length",
       204,
       {Framing::kNone, 0, false, "D"},
       "HTTP/1.1 204 No Content\r\nDate: D\r\nX-A: b\r\n\r\n"},
      {"unknown status",
       "the phrase may be empty, the space before it may not be missing",
       299,
       {Framing::kNone, 0, false, "D"},
       "HTTP/1.1 299 \r\nDate: D\r\nX-A: b\r\n\r\n"},
  };
  for (const Row& row : rows) {
    Headers headers;
    headers.add("X-A", "b");
    std::string out;
    append_head(out, row.status, headers, row.info);
    EXPECT_EQ(out, row.want) << row.name << ": " << row.reason;
  }
}

TEST(Wire, HeadersOfTheConnectionAreNotTakenFromTheHandler) {
  Headers headers;
  headers.add("content-length", "7");
  headers.add("Transfer-encoding", "gzip");
  headers.add("DATE", "never");
  headers.add("Connection", "upgrade");
  std::string out;
  append_head(out, 200, headers, {Framing::kLength, 1, false, "D"});
  EXPECT_EQ(out, "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 1\r\n\r\n");
}

TEST(Wire, LineBreaksCannotSplitAHeader) {
  Headers headers;
  headers.add("Warning", "a\r\nSet-Cookie: b");
  std::string out;
  append_head(out, 200, headers, {Framing::kNone, 0, false, "D"});
  EXPECT_EQ(out, "HTTP/1.1 200 OK\r\nDate: D\r\nWarning: a  Set-Cookie: b\r\n\r\n");
}

std::string framed(std::string_view before, size_t begin, std::string_view payload) {
  std::string out(before);
  const size_t start = open_chunk(out);
  out += payload;
  begin = close_chunk(out, begin, start);
  return out.substr(begin);
}

TEST(Wire, ChunksAreFramedBehindWhatIsUnsent) {
  EXPECT_EQ(framed("", 0, "hello"), "5\r\nhello\r\n");
  EXPECT_EQ(framed("HEAD", 0, "hello"), "HEAD5\r\nhello\r\n");
  EXPECT_EQ(framed("SENTHEAD", 4, "hello"), "HEAD5\r\nhello\r\n");
  const std::string large(70'000, 'x');
  EXPECT_EQ(framed("HEAD", 0, large), "HEAD11170\r\n" + large + "\r\n");
}

TEST(Wire, AnEmptyChunkIsNotWritten) {
  EXPECT_EQ(framed("HEAD", 0, ""), "HEAD");
  EXPECT_EQ(framed("", 0, ""), "");
}

}  // namespace
}  // namespace chandler::http
