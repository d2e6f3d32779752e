#include "http/frame_scanner.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "http/http2_test_peer.h"

namespace chandler::http {
namespace {

using testing::raw_frame;

TEST(FrameScanner, FindsTheSameFramesHoweverTheInputIsCut) {
  const std::string input = std::string(FrameScanner::kPreface) + raw_frame(4, 0, 0, "123456") +
                            raw_frame(1, 0x5, 1, std::string(300, 'h')) + raw_frame(0, 1, 1) +
                            raw_frame(0xFA, 0, 7, "?") + raw_frame(0, 0, 1, std::string(70'000, 'd'));
  for (const size_t piece : {input.size(), size_t{1}, size_t{7}, size_t{100}}) {
    FrameScanner scanner;
    std::vector<std::string> found;
    for (size_t at = 0; at < input.size(); at += piece) {
      scanner.scan(std::string_view(input).substr(at, piece), [&](const FrameHead& head) {
        found.push_back(std::to_string(static_cast<int>(head.type)) + ":" + std::to_string(head.length) +
                        (head.ends_stream() ? "e" : ""));
        return true;
      });
    }
    EXPECT_EQ(found, (std::vector<std::string>{"4:6", "1:300e", "0:0e", "250:1", "0:70000"})) << piece;
    EXPECT_FALSE(scanner.owes());
  }
}

TEST(FrameScanner, KnowsWhatTheClientOwes) {
  struct Row {
    std::string reason;
    std::string after;  // preface and settings
    bool owes;
  };
  const std::vector<Row> rows = {
      {"nothing is begun", "", false},
      {"a head in one frame", raw_frame(1, 0x4, 1, "h"), false},
      {"half a frame", raw_frame(1, 0x4, 1, "hh").substr(0, 10), true},
      {"no more than the frame's head", raw_frame(1, 0x4, 1, "hh").substr(0, 9), true},
      {"half the head of a frame could be anything", raw_frame(1, 0x4, 1, "hh").substr(0, 5), false},
      {"a block that goes on", raw_frame(1, 0, 1, "h"), true},
      {"and on", raw_frame(1, 0, 1, "h") + raw_frame(9, 0, 1, "h"), true},
      {"and ends", raw_frame(1, 0, 1, "h") + raw_frame(9, 0x4, 1, "h"), false},
      {"with a frame of nothing", raw_frame(1, 0, 1) + raw_frame(9, 0x4, 1), false},
      {"half a body has a deadline of its own", raw_frame(0, 0, 1, "hh").substr(0, 10), false},
  };
  FrameScanner silent;
  EXPECT_TRUE(silent.owes());
  for (const Row& row : rows) {
    FrameScanner scanner;
    const auto pass = [](const FrameHead&) { return true; };
    scanner.scan(FrameScanner::kPreface, pass);
    EXPECT_TRUE(scanner.owes()) << "settings are part of the preface";
    scanner.scan(raw_frame(4, 0, 0), pass);
    scanner.scan(row.after, pass);
    EXPECT_EQ(scanner.owes(), row.owes) << row.reason;
  }
}

TEST(FrameScanner, StopsWhenAsked) {
  FrameScanner scanner;
  int seen = 0;
  scanner.scan(std::string(FrameScanner::kPreface) + raw_frame(4, 0, 0) + raw_frame(4, 0, 0),
               [&](const FrameHead&) { return ++seen < 1; });
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace chandler::http
