#include "reconcilers/catalog/retry.h"

#include <gtest/gtest.h>

#include "base/time_text.h"
#include "reconcilers/catalog/document.h"

namespace chandler::reconcilers {
namespace {

using std::chrono::milliseconds;

const WallTime kNow = *parse_rfc3339("2026-01-01T00:00:00Z");
constexpr Backoff kBackoff{milliseconds(1'000), milliseconds(60'000)};

TEST(Retry, DelaysDoubleWithinAQuarterOfJitter) {
  struct Row {
    int64_t attempts;
    int64_t whole;
  };
  for (const auto& row : {Row{0, 1'000}, Row{1, 1'000}, Row{2, 2'000}, Row{3, 4'000}, Row{6, 32'000}, Row{7, 60'000},
                          Row{1'000, 60'000}}) {
    for (const std::string_view uid : {"a", "b", "c", ""}) {
      const auto delay = delay_after(kBackoff, row.attempts, uid).count();
      EXPECT_LE(delay, row.whole) << row.attempts;
      EXPECT_GE(delay, row.whole * 3 / 4) << row.attempts;
    }
  }
}

TEST(Retry, TheJitterDependsOnObjectAndAttemptOnly) {
  EXPECT_EQ(delay_after(kBackoff, 5, "a"), delay_after(kBackoff, 5, "a"));
  EXPECT_NE(delay_after(kBackoff, 5, "a"), delay_after(kBackoff, 5, "b"));
}

TEST(Retry, CountsAndRemembersTheError) {
  json::Object status;
  EXPECT_EQ(attempts_of(json::Value(status)), 0);
  EXPECT_LT(next_attempt_of(json::Value(status)), kNow);
  note_attempt(status, kBackoff, "a", "no answer", kNow);
  note_attempt(status, kBackoff, "a", "no answer again", kNow);
  EXPECT_EQ(attempts_of(json::Value(status)), 2);
  EXPECT_EQ(next_attempt_of(json::Value(status)), kNow + delay_after(kBackoff, 2, "a"));
  EXPECT_EQ(text_at(member(json::Value(status), "retry"), "lastError"), "no answer again");
  note_attempt(status, kBackoff, "a", "", kNow);
  EXPECT_EQ(text_at(member(json::Value(status), "retry"), "lastError"), "");
  clear_retry(status);
  EXPECT_EQ(attempts_of(json::Value(status)), 0);
}

TEST(Retry, WaitsAsLongAsTheBrokerWants) {
  json::Object status;
  note_attempt(status, kBackoff, "a", "busy", kNow, milliseconds(90'000));
  EXPECT_EQ(next_attempt_of(json::Value(status)), kNow + milliseconds(90'000));
}

}  // namespace
}  // namespace chandler::reconcilers
