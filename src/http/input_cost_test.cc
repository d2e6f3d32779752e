// Whatever a client sends before it is authenticated costs in proportion to its size, over both versions of HTTP.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "http/http2_session.h"
#include "http/http2_test_blocks.h"
#include "http/http2_test_pair.h"
#include "http/request_parser.h"
#include "support/growth.h"

namespace chandler::http {
namespace {

using chandler::testing::Growth;
using chandler::testing::is_linear;
using testing::block_frames;
using testing::client_preface;
using testing::entered;
using testing::Http2Pair;
using testing::kBlockStart;
using testing::kNewest;
using testing::kPostStart;
using testing::literal;
using testing::raw_frame;

constexpr size_t kRead = 2 * 1024;  // little enough that no more requests come at once than may

std::string repeat(size_t times, std::string_view text) {
  std::string out;
  out.reserve(times * text.size());
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

std::string start() { return std::string(kBlockStart); }

// One connection from its beginning to the end of what the client sends.
struct Served {
  size_t requests = 0;
  bool calmed = false;
};
Served serve_http2(std::string_view wire) {
  Http2Pair pair;
  std::string said;
  for (; !wire.empty(); wire.remove_prefix(std::min(kRead, wire.size()))) {
    pair.session().receive(wire.substr(0, kRead));
    said.clear();
    pair.session().produce(said, Http2Pair::kBudget);
  }
  return {pair.requests.size(), pair.session().was_calmed()};
}

struct Shape {
  std::string name;
  std::string reason;
  size_t largest;  // in units of the shape: fields, bytes, frames
  std::function<std::string(size_t size)> wire;
  size_t requests;  // that the largest one leads to
  bool calmed = false;
};

std::vector<Shape> http2_shapes() {
  const std::string large = entered("x", std::string(4000, 'v'));
  const std::string small = entered("x", "y");
  const auto open_post = block_frames(1, kPostStart, false);
  return {
      {"distinct fields", "each is kept and searched", 1000,
       [](size_t size) {
         std::string block = start();
         for (size_t i = 0; i < size; ++i) block += literal("x-" + std::to_string(i), "v");
         return block_frames(1, block);
       },
       1},
      {"equal fields", "none replaces another", 1000,
       [](size_t size) { return block_frames(1, start() + repeat(size, literal("x-same", "v"))); }, 1},
      {"cookies", "browsers send them in crumbs", 1000,
       [](size_t size) {
         return block_frames(1, start() + repeat(size,
                                                 "\x0F\x11\x03"
                                                 "a=b"));
       },
       1},
      {"one long field", "comes in several frames", 60'000,
       [](size_t size) { return block_frames(1, start() + literal("x", std::string(size, 'v'))); }, 1},
      {"long target", "of escapes and parameters", 60'000,
       [](size_t size) {
         return block_frames(1, "\x82\x87\x01\x01\x61\x04" + testing::block_text("/?" + repeat(size / 6, "a=%20&")));
       },
       1},
      {"references", "a byte each, and within the limit", 1000,
       [small](size_t size) { return block_frames(1, start() + small + std::string(size, kNewest)); }, 1},
      {"references to a long entry", "a byte stands for 4 KB", 12'000,
       [large](size_t size) { return block_frames(1, start() + large + std::string(size, kNewest)); }, 0, true},
      {"the same as trailers", "nobody looks at them", 12'000,
       [large, open_post](size_t size) { return open_post + block_frames(1, large + std::string(size, kNewest)); }, 0,
       true},
      {"references to a bad field", "the first one resets the stream", 12'000,
       [](size_t size) {
         const std::string bad = entered("x", std::string(4000, 'v') + '\x01');
         return block_frames(1, start() + bad + std::string(size, kNewest));
       },
       0},
      {"a block for a stream that is gone", "it is decoded, because it can change the table", 100'000,
       [small](size_t size) {
         return block_frames(3, start()) + block_frames(1, start() + small + std::string(size, kNewest));
       },
       1},
      {"heads", "one after the other", 4000,
       [](size_t size) {
         std::string wire;
         for (size_t i = 0; i < size; ++i) wire += block_frames(static_cast<int32_t>(2 * i + 1), start());
         return wire;
       },
       4000},
      {"continuations", "of a byte each", 8,
       [](size_t size) {
         std::string wire = raw_frame(1, 0x1, 1, start());
         for (size_t i = 1; i <= size; ++i) wire += raw_frame(9, i == size ? 0x4 : 0, 1, "\x90");
         return wire;
       },
       1},
      {"content by the byte", "a frame each", 1600,
       [open_post](size_t size) { return open_post + repeat(size, raw_frame(0, 0, 1, "x")) + raw_frame(0, 0x1, 1); },
       1},
      {"content in small frames", "just long enough not to be counted", 60'000,
       [open_post](size_t size) {
         return open_post + repeat(size / 16, raw_frame(0, 0, 1, std::string(16, 'x'))) + raw_frame(0, 0x1, 1);
       },
       1},
      {"pings", "each is answered", 1600, [](size_t size) { return repeat(size, raw_frame(6, 0, 0, "12345678")); }, 0},
  };
}

TEST(InputCost, OfHttp2IsInProportionToItsSize) {
  for (const Shape& shape : http2_shapes()) {
    const Served served = serve_http2(client_preface() + shape.wire(shape.largest));
    EXPECT_EQ(served.requests, shape.requests) << shape.name;
    EXPECT_EQ(served.calmed, shape.calmed) << shape.name;
    const auto prepare = [&](size_t size) -> Growth::Work {
      return [wire = client_preface() + shape.wire(size)] { serve_http2(wire); };
    };
    EXPECT_TRUE(is_linear(shape.largest, prepare)) << shape.name << ": " << shape.reason;
  }
}

// How much longer a connection with the one takes than one with the other, by the sampling of Growth: its first size
// stands for the usual, its last for the worst.
double times_as_long(const std::string& worst, const std::string& usual) {
  const auto prepare = [&](size_t size) -> Growth::Work {
    return [wire = client_preface() + (size == 8 ? worst : usual)] { serve_http2(wire); };
  };
  return Growth::measure(8, prepare).overall();
}

TEST(InputCost, OfReferencesIsLimitedByTheirSizeOnTheWire) {
  struct Row {
    std::string name;
    std::string reason;
    std::string block;
  };
  const size_t wire = 16'000;
  const auto references = [](const std::string& first) {
    return block_frames(1, first + std::string(wire - first.size(), kNewest));
  };
  const std::string head = start();
  const std::string gone = block_frames(3, head);
  const std::vector<Row> rows = {
      {"long entry", "4 KB by a byte", references(head + entered("x", std::string(4000, 'v')))},
      {"short entry", "a field by a byte", references(head + entered("x", ""))},
      {"bad entry", "the first one resets the stream",
       references(head + entered("x", std::string(4000, 'v') + '\x01'))},
      {"long name", "names are checked as well", references(head + entered(std::string(4000, 'x'), "v"))},
      {"gone", "nobody gets the fields", gone + references(head + entered("x", std::string(4000, 'v')))},
      {"trailers", "nobody gets the fields",
       block_frames(3, kPostStart, false) +
           block_frames(3, entered("x", std::string(4000, 'v')) + std::string(12'000, kNewest))},
  };
  std::string plain = head;
  while (plain.size() < wire) plain += literal("x-usual-name", "a value of the usual length");
  for (const Row& row : rows) {
    // The cost of a field beside that of a byte; it was some hundred for the long entries.
    EXPECT_LT(times_as_long(row.block, block_frames(1, plain)), 12) << row.name << ": " << row.reason;
  }
}

// As a connection does, which gets `piece` bytes at a time. Returns the requests that were complete.
size_t serve_http1(std::string_view wire, size_t piece) {
  RequestParser parser(64 * 1024, 3 * 1024 * 1024);
  std::string kept;
  size_t requests = 0;
  parser.start();
  for (; !wire.empty(); wire.remove_prefix(std::min(piece, wire.size()))) {
    kept += wire.substr(0, piece);
    size_t used = 0;
    while (used < kept.size()) {
      used += parser.feed(std::string_view(kept).substr(used));
      if (parser.progress() == RequestParser::Progress::kFailed) return requests;
      if (parser.progress() != RequestParser::Progress::kDone) break;
      ++requests;
      parser.start();
    }
    kept.erase(0, used);
  }
  return requests;
}

constexpr std::string_view kBegin = "POST / HTTP/1.1\r\nHost: h\r\n";
constexpr std::string_view kChunked = "Transfer-Encoding: chunked\r\n\r\n";

TEST(InputCost, OfHttp1IsInProportionToItsSize) {
  const std::string begin(kBegin);
  const std::string chunked = begin + std::string(kChunked);
  const std::vector<Shape> shapes = {
      {"distinct fields", "each is kept and searched", 5000,
       [&](size_t size) {
         std::string wire = begin;
         for (size_t i = 0; i < size; ++i) wire += std::to_string(i) + ": v\r\n";
         return wire + "\r\n";
       },
       1},
      {"equal fields", "as short as can be", 15'000,
       [&](size_t size) { return begin + repeat(size, "a:\r\n") + "\r\n"; }, 1},
      {"one long field", "within the limit", 60'000,
       [&](size_t size) { return begin + "x: " + std::string(size, 'v') + "\r\n\r\n"; }, 1},
      {"long target", "of escapes and parameters", 60'000,
       [](size_t size) { return "GET /?" + repeat(size / 6, "a=%20&") + " HTTP/1.1\r\nHost: h\r\n\r\n"; }, 1},
      {"folded field", "its lines are put together", 1000,
       [&](size_t size) { return begin + "x: a" + repeat(size, "\r\n b") + "\r\n\r\n"; }, 1},
      {"connection options", "are a list", 60'000,
       [&](size_t size) { return begin + "Connection: " + repeat(size / 2, "a,") + "a\r\n\r\n"; }, 1},
      {"lengths", "are a list", 60'000,
       [&](size_t size) { return begin + "Content-Length: " + repeat(size / 2, "0,") + "0\r\n\r\n"; }, 1},
      {"chunks", "of a byte each", 20'000,
       [&](size_t size) { return chunked + repeat(size, "1\r\nx\r\n") + "0\r\n\r\n"; }, 1},
      {"chunk extension", "is passed over", 4000,
       [&](size_t size) { return chunked + "1;" + std::string(size, 'x') + "\r\nx\r\n0\r\n\r\n"; }, 1},
      {"requests", "one behind the other", 2400, [&](size_t size) { return repeat(size, begin + "\r\n"); }, 2400},
  };
  for (const Shape& shape : shapes) {
    for (const size_t piece : {size_t{1}, size_t{64 * 1024}}) {
      EXPECT_EQ(serve_http1(shape.wire(shape.largest), piece), shape.requests) << shape.name;
      const auto prepare = [&](size_t size) -> Growth::Work {
        return [wire = shape.wire(size), piece] { serve_http1(wire, piece); };
      };
      EXPECT_TRUE(is_linear(shape.largest, prepare)) << shape.name << " in " << piece << ": " << shape.reason;
    }
  }
}

// The grammar reads the last chunk line again with every piece of the trailers, so both must be short.
TEST(InputCost, OfTrailersBehindALongLineDoesNotGrowWithBoth) {
  const auto prepare = [&](size_t size) -> Growth::Work {
    std::string wire = std::string(kBegin) + std::string(kChunked) + "0;" + std::string(size / 2, 'x') + "\r\n";
    wire += "a: " + std::string(size / 2, 'x') + "\r\n\r\n";
    return [wire] { serve_http1(wire, 1); };
  };
  EXPECT_TRUE(is_linear(60'000, prepare));
}

}  // namespace
}  // namespace chandler::http
