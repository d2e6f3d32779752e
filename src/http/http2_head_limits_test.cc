// What a client cannot do to us with header blocks of HTTP/2, and what it can do as often as it likes.
#include <gtest/gtest.h>

#include "http/http2_session.h"
#include "http/http2_test_blocks.h"
#include "http/http2_test_pair.h"

namespace chandler::http {
namespace {

using testing::block_frames;
using testing::client_preface;
using testing::entered;
using testing::Fields;
using testing::Http2Pair;
using testing::kBlockStart;
using testing::kNewest;
using testing::kPostStart;
using testing::literal;
using testing::raw_frame;

Http2Limits small_limits() {
  Http2Limits limits;
  limits.max_header_bytes = 4096;
  return limits;
}

TEST(Http2HeadLimits, AHeadThatIsTooLargeIsAnsweredWith431) {
  Http2Pair pair(small_limits());
  const int32_t large = pair.peer.get("/", {{"x-large", std::string(5000, 'x')}});
  std::vector<std::pair<std::string, std::string>> fields;
  for (int i = 0; i < 200; ++i) fields.emplace_back("x-" + std::to_string(i), "v");
  const int32_t many = pair.peer.get("/", fields);
  pair.exchange();
  EXPECT_EQ(pair.peer.answer(large).status, 431);
  EXPECT_EQ(pair.peer.answer(many).status, 431);
  EXPECT_TRUE(pair.requests.empty());
  const int32_t fine = pair.peer.get("/");
  pair.exchange();
  EXPECT_EQ(pair.peer.answer(fine).status, 200) << "the connection goes on";
}

TEST(Http2HeadLimits, TrailersThatAreTooLargeAreAnsweredWith431) {
  Http2Pair pair(small_limits());
  const int32_t large = pair.peer.request("POST", "/", {}, "body", true);
  const int32_t fine = pair.peer.request("POST", "/", {}, "body", true);
  pair.exchange();
  pair.session().receive(block_frames(large, literal("a", std::string(5000, 'x'))));
  pair.session().receive(block_frames(fine, literal("a", std::string(3000, 'x'))));
  pair.exchange();
  EXPECT_EQ(pair.peer.answer(large).status, 431);
  EXPECT_EQ(pair.peer.answer(fine).status, 200);
  EXPECT_EQ(pair.requests.size(), 1U);
}

TEST(Http2HeadLimits, HeadsThatAreTooLargeCostAsMuchAsResets) {
  Http2Pair pair(small_limits());
  const auto send = [&pair](int times) {
    for (int i = 0; i < times && !pair.peer.goaway(); ++i) {
      pair.peer.get("/", {{"x-large", std::string(5000, 'x')}});
      pair.exchange();
    }
  };
  send(400);
  EXPECT_FALSE(pair.session().was_calmed());
  send(200);
  EXPECT_EQ(pair.peer.goaway(), NGHTTP2_ENHANCE_YOUR_CALM);
  EXPECT_TRUE(pair.session().was_calmed());
}

TEST(Http2HeadLimits, AClientWhoseHeadsAreTooLargeNowAndThenIsLeftAlone) {
  Http2Pair pair(small_limits());
  for (int i = 0; i < 1000; ++i) {
    const int32_t id = pair.peer.get("/", {{"x-large", std::string(5000, 'x')}});
    pair.pass(std::chrono::milliseconds(100));
    ASSERT_EQ(pair.peer.answer(id).status, 431);
  }
}

TEST(Http2HeadLimits, ABlockThatDecodesToFarTooMuchEndsTheConnectionAtOnce) {
  struct Row {
    std::string name;
    std::string reason;
    std::string frames;
  };
  const std::string value(4000, 'v');
  const std::string head(kBlockStart);
  const std::string many(12'000, kNewest);
  const std::string post = block_frames(1, kPostStart, false);
  const std::vector<Row> rows = {
      {"value", "4 KB by a byte", block_frames(1, head + entered("x", value) + many)},
      {"name", "names count as values do", block_frames(1, head + entered(value, "v") + many)},
      {"empty", "a field costs more than its letters", block_frames(1, head + entered("x", "") + many)},
      {"literal", "it need not be a reference",
       block_frames(1, head + literal("x", std::string(40'000, 'v')) + literal("x", std::string(50'000, 'v')) +
                           literal("x", std::string(50'000, 'v')))},
      {"trailers", "nobody reads them", post + block_frames(1, entered("x", value) + many)},
      {"continuation", "a block is one, however it is cut",
       raw_frame(1, 0x1, 1, head + entered("x", value)) + raw_frame(9, 0, 1, many.substr(0, 10)) +
           raw_frame(9, 0, 1, many.substr(0, 10)) + raw_frame(9, 0x4, 1, many.substr(0, 20))},
  };
  for (const Row& row : rows) {
    Http2Pair pair;
    pair.session().receive(client_preface());
    pair.session().receive(row.frames);
    std::string said;
    pair.session().produce(said, Http2Pair::kBudget);
    EXPECT_TRUE(pair.session().was_calmed()) << row.name << ": " << row.reason;
    EXPECT_TRUE(pair.session().is_over()) << row.name << ": " << row.reason;
    EXPECT_TRUE(said.ends_with(std::string_view("\0\0\0\x0B", 4))) << "GOAWAY with ENHANCE_YOUR_CALM";
    EXPECT_TRUE(pair.requests.empty()) << row.name << ": " << row.reason;
  }
}

// So the fields behind it are not checked, and need not be counted.
TEST(Http2HeadLimits, AFieldWithALetterThatIsNotAllowedResetsItsStream) {
  Http2Pair pair;
  const int32_t open = pair.peer.request("POST", "/", {}, "body", true);
  pair.exchange();
  const std::string bad = literal("x", std::string("v\x01"));
  pair.session().receive(block_frames(open, bad));
  pair.session().receive(block_frames(open + 2, std::string(kBlockStart) + bad + literal("y", "v")));
  pair.exchange();
  EXPECT_EQ(pair.peer.answer(open).reset, NGHTTP2_PROTOCOL_ERROR);
  EXPECT_EQ(pair.session().streams(), 0U);
  EXPECT_TRUE(pair.requests.empty());
  EXPECT_FALSE(pair.session().was_calmed());
}

TEST(Http2HeadLimits, HeadsOfReferencesCannotBeRepeatedForEver) {
  Http2Pair pair;
  std::string said;
  pair.session().receive(client_preface());
  // 60 KB each, of some thirty bytes.
  const std::string block(kBlockStart);
  pair.session().receive(block_frames(1, block + entered("x", std::string(4000, 'v'))));
  size_t heads = 0;
  for (int32_t id = 3; id < 400 && !pair.session().was_calmed(); id += 2, ++heads) {
    pair.session().receive(block_frames(id, block + std::string(15, kNewest)));
    pair.session().produce(said, Http2Pair::kBudget);
    said.clear();
  }
  EXPECT_TRUE(pair.session().was_calmed());
  EXPECT_GT(heads, 10U) << "some are no flood";
  EXPECT_LT(heads, 40U);
}

// The bucket is empty, so a head that had to pay would end the connection.
TEST(Http2HeadLimits, DecentHeadsAreFreeOfCharge) {
  struct Row {
    std::string name;
    std::string reason;
    int times;
    Fields fields;
  };
  Fields groups;
  for (int i = 0; i < 1000; ++i) groups.emplace_back("x-remote-group", "g" + std::to_string(i));
  Fields short_groups;
  for (int i = 100; i < 1300; ++i) short_groups.emplace_back("impersonate-group", std::to_string(i));
  const std::vector<Row> rows = {
      {"small requests",
       "the token is in the table and sent by reference",
       5000,
       {{"authorization", "Bearer " + std::string(2000, 't')}, {"user-agent", "kubectl"}, {"accept", "*/*"}}},
      {"a full table",
       "every entry is referred to once",
       500,
       {{"x-1", std::string(900, '1')},
        {"x-2", std::string(900, '2')},
        {"x-3", std::string(900, '3')},
        {"x-4", std::string(900, '4')}}},
      {"32 KB",
       "a token with many groups in it, too long for the table",
       100,
       {{"authorization", std::string(32'000, 'a')}}},
      {"60 KB",
       "just below the limit, of letters with short codes",
       100,
       {{"x-1", std::string(30'000, 'e')}, {"x-2", std::string(30'000, 'o')}}},
      {"groups", "of a proxy, a field each", 20, groups},
      {"short groups", "the name costs a byte, and there are as many as fit", 20, short_groups},
  };
  for (const Row& row : rows) {
    Http2Limits limits;
    limits.decoded_bytes = {0, 0};
    Http2Pair pair(limits);
    for (int i = 0; i < row.times && !pair.session().was_calmed(); ++i) {
      pair.peer.get("/", row.fields);
      pair.exchange();
    }
    EXPECT_FALSE(pair.session().was_calmed()) << row.name << ": " << row.reason;
    EXPECT_EQ(pair.requests.size(), static_cast<size_t>(row.times)) << row.name << ": " << row.reason;
  }
}

}  // namespace
}  // namespace chandler::http
