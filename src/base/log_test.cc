#include "base/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace chandler::log {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

const WallTime kTime(std::chrono::microseconds(1'794'721'380'123'999));

std::string text(std::string_view message, Fields fields) {
  return render(Format::kText, kTime, Level::kInfo, message, fields);
}

std::string json(std::string_view message, Fields fields) {
  return render(Format::kJson, kTime, Level::kInfo, message, fields);
}

TEST(LogLine, OfTextIsEasyToRead) {
  EXPECT_EQ(text("ready", {{"address", "127.0.0.1:6443"}, {"objects", 3}}),
            "2026-11-15T05:43:00.123Z INFO  ready address=127.0.0.1:6443 objects=3");
  EXPECT_EQ(text("store opened", {}), "2026-11-15T05:43:00.123Z INFO  store opened");
}

TEST(LogLine, OfJsonIsOneObject) {
  EXPECT_EQ(json("ready", {{"address", "127.0.0.1:6443"}, {"objects", 3}}),
            R"({"ts":"2026-11-15T05:43:00.123Z","level":"info","msg":"ready","address":"127.0.0.1:6443","objects":3})");
  EXPECT_EQ(json("a \"b\"", {{"k\n", ""}}),
            R"({"ts":"2026-11-15T05:43:00.123Z","level":"info","msg":"a \"b\"","k\n":""})");
}

TEST(LogLine, ShowsEveryLevel) {
  const std::pair<Level, std::string_view> texts[] = {
      {Level::kDebug, " DEBUG m"}, {Level::kInfo, " INFO  m"}, {Level::kWarn, " WARN  m"}, {Level::kError, " ERROR m"}};
  for (const auto& [level, want] : texts) {
    EXPECT_THAT(render(Format::kText, kTime, level, "m", {}), HasSubstr(std::string(want)));
  }
  const std::pair<Level, std::string_view> jsons[] = {
      {Level::kDebug, "debug"}, {Level::kInfo, "info"}, {Level::kWarn, "warn"}, {Level::kError, "error"}};
  for (const auto& [level, want] : jsons) {
    EXPECT_THAT(render(Format::kJson, kTime, level, "m", {}), HasSubstr("\"level\":" + quoted(want)));
  }
}

TEST(LogLine, QuotesTextsThatWouldBreakTheLine) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"plain/text:1", "plain/text:1"},
      {"", R"("")"},
      {"a b", R"("a b")"},
      {"a\"b", R"("a\"b")"},
      {"a=b", R"("a=b")"},
      {"a\nb", R"("a\nb")"},
      {"a\\b", R"("a\\b")"},
      {"grün", "grün"},
      {"\xFF", "\"\uFFFD\""},
      {"\x7F", R"("\u007f")"},
      {"\xC2\x9B[31m", R"("\u009b[31m")"},
      {"\u202Eturned", R"("\u202eturned")"},
  };
  for (const auto& [value, want] : rows) EXPECT_THAT(text("m", {{"k", value}}), HasSubstr(" k=" + std::string(want)));
}

TEST(LogLine, TakesEveryKindOfValue) {
  const std::string owned = "own";
  EXPECT_THAT(text("m", {{"s", owned},
                         {"v", std::string_view("view")},
                         {"yes", true},
                         {"no", false},
                         {"min", std::numeric_limits<int64_t>::min()},
                         {"max", std::numeric_limits<uint64_t>::max()},
                         {"small", int8_t{-1}},
                         {"size", size_t{7}},
                         {"ratio", 0.25}}),
              HasSubstr(" s=own v=view yes=true no=false min=-9223372036854775808 max=18446744073709551615 small=-1 "
                        "size=7 ratio=0.25"));
}

TEST(LogLine, OfJsonStaysJsonForNumbersThatJsonLacks) {
  EXPECT_THAT(json("m", {{"a", std::nan("")}, {"b", HUGE_VAL}}), HasSubstr(R"("a":null,"b":null)"));
}

class LogTest : public ::testing::Test {
 protected:
  void SetUp() override { ::testing::internal::CaptureStderr(); }
  void TearDown() override {
    if (!taken_) written();
    configure(Level::kInfo, Format::kText);
  }
  std::string written() {
    flush();
    taken_ = true;
    return ::testing::internal::GetCapturedStderr();
  }

 private:
  bool taken_ = false;
};

TEST_F(LogTest, WritesLinesToStandardError) {
  info("first", {{"n", 1}});
  error("second");
  EXPECT_THAT(written(), MatchesRegex("[^ ]+Z INFO  first n=1\n[^ ]+Z ERROR second\n"));
}

TEST_F(LogTest, LeavesOutWhatIsBelowItsLevel) {
  configure(Level::kWarn, Format::kJson);
  EXPECT_FALSE(enabled(Level::kInfo));
  EXPECT_TRUE(enabled(Level::kWarn));
  debug("no");
  info("no");
  warn("yes");
  const std::string lines = written();
  EXPECT_THAT(lines, Not(HasSubstr("no")));
  EXPECT_THAT(lines, HasSubstr(R"("level":"warn","msg":"yes"})"));
}

TEST_F(LogTest, KeepsLinesOfManyThreadsWhole) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 500; ++i) info("line", {{"thread", t}, {"filler", std::string(200, 'x')}});
    });
  }
  for (auto& thread : threads) thread.join();
  const std::string all = written();
  const auto lines = split(all, '\n');
  ASSERT_EQ(lines.size(), 2001u);
  EXPECT_EQ(lines.back(), "");
  for (size_t i = 0; i < 2000; ++i) {
    ASSERT_TRUE(lines[i].ends_with(" filler=" + std::string(200, 'x'))) << lines[i];
  }
}

TEST(Log, NeverWaitsForAReaderAndSaysWhatItDropped) {
  constexpr size_t kLines = 9000;  // more than the queue and the pipe hold together
  int pipe_ends[2];
  ASSERT_EQ(::pipe2(pipe_ends, O_CLOEXEC), 0);
  ASSERT_GE(::fcntl(pipe_ends[1], F_SETPIPE_SZ, 4096), 0);
  flush();
  const int terminal = ::dup(STDERR_FILENO);
  ASSERT_GE(::dup2(pipe_ends[1], STDERR_FILENO), 0);
  for (size_t i = 0; i < kLines; ++i) info("line");  // nobody reads yet

  std::string all;
  std::thread reader([&] {
    char buffer[4096];
    for (ssize_t got = 0; (got = ::read(pipe_ends[0], buffer, sizeof buffer)) > 0;) {
      all.append(buffer, static_cast<size_t>(got));
    }
  });
  flush();
  ::dup2(terminal, STDERR_FILENO);
  ::close(terminal);
  ::close(pipe_ends[1]);
  reader.join();
  ::close(pipe_ends[0]);

  constexpr std::string_view kReport = " log lines dropped count=";
  size_t written = 0;
  uint64_t dropped = 0;
  for (const auto line : split(all, '\n')) {
    if (line.ends_with(" INFO  line")) ++written;
    const size_t report = line.find(kReport);
    if (report != std::string_view::npos) dropped += parse_uint64(line.substr(report + kReport.size())).value_or(0);
  }
  EXPECT_GT(dropped, 0u);
  EXPECT_EQ(written + dropped, kLines);
}

}  // namespace
}  // namespace chandler::log
