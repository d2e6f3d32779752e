#include "base/time_text.h"

#include <limits>

#include <gtest/gtest.h>

namespace chandler {
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

WallTime at(int64_t micros) { return WallTime(microseconds(micros)); }

TEST(Rfc3339, ShowsWholeSecondsInUtc) {
  EXPECT_EQ(rfc3339(at(0)), "1970-01-01T00:00:00Z");
  EXPECT_EQ(rfc3339(at(1'794'721'380'999'999)), "2026-11-15T05:43:00Z");
  EXPECT_EQ(rfc3339(at(-1)), "1969-12-31T23:59:59Z");
  EXPECT_EQ(rfc3339(at(951'782'400'000'000)), "2000-02-29T00:00:00Z");
  EXPECT_EQ(rfc3339(at(-62'135'596'800'000'000)), "0001-01-01T00:00:00Z");
}

TEST(Rfc3339, ShowsMicrosecondsWithSixDigits) {
  EXPECT_EQ(rfc3339_micro(at(1'794'721'380'000'123)), "2026-11-15T05:43:00.000123Z");
  EXPECT_EQ(rfc3339_micro(at(0)), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(rfc3339_micro(at(-1)), "1969-12-31T23:59:59.999999Z");
}

TEST(ParseRfc3339, ReadsOffsetsAndFractions) {
  const std::pair<std::string_view, int64_t> rows[] = {
      {"1970-01-01T00:00:00Z", 0},
      {"2026-11-15T05:43:00Z", 1'794'721'380'000'000},
      {"2026-11-15T07:43:00+02:00", 1'794'721'380'000'000},
      {"2026-11-14T19:13:00-10:30", 1'794'721'380'000'000},
      {"1970-01-01T00:00:00.5Z", 500'000},
      {"1970-01-01T00:00:00.000123Z", 123},
      {"1970-01-01T00:00:00.000123999Z", 123},
      {"2000-02-29T00:00:00Z", 951'782'400'000'000},
      {"0001-01-01T00:00:00Z", -62'135'596'800'000'000},
  };
  for (const auto& [text, want] : rows) EXPECT_EQ(parse_rfc3339(text), at(want)) << text;
}

TEST(ParseRfc3339, RefusesWhatIsNoTime) {
  const std::pair<const char*, std::string_view> rows[] = {
      {"empty", ""},
      {"no offset", "2026-11-15T05:43:00"},
      {"date alone", "2026-11-15"},
      {"blank for T", "2026-11-15 05:43:00Z"},
      {"lower case", "2026-11-15t05:43:00z"},
      {"month 13", "2026-13-15T05:43:00Z"},
      {"month 0", "2026-00-15T05:43:00Z"},
      {"day 0", "2026-11-00T05:43:00Z"},
      {"no such day", "2026-02-29T05:43:00Z"},
      {"hour 24", "2026-11-15T24:00:00Z"},
      {"minute 60", "2026-11-15T05:60:00Z"},
      {"second 60", "2026-11-15T05:43:60Z"},
      {"one digit", "2026-11-15T5:43:00Z"},
      {"fraction without digits", "2026-11-15T05:43:00.Z"},
      {"ten fraction digits", "2026-11-15T05:43:00.0123456789Z"},
      {"offset without colon", "2026-11-15T05:43:00+0200"},
      {"offset hour 24", "2026-11-15T05:43:00+24:00"},
      {"something after", "2026-11-15T05:43:00Zx"},
      {"sign in a number", "+026-11-15T05:43:00Z"},
  };
  for (const auto& [reason, text] : rows) EXPECT_EQ(parse_rfc3339(text), std::nullopt) << reason;
}

TEST(ParseRfc3339, BringsBackWhatWasWritten) {
  for (const int64_t micros :
       {int64_t{0}, int64_t{1'794'721'380'123'456}, int64_t{-1}, int64_t{253'402'300'799'999'999}}) {
    EXPECT_EQ(parse_rfc3339(rfc3339_micro(at(micros))), at(micros));
  }
}

TEST(ShortAge, ReadsAsKubectlPrintsIt) {
  constexpr int64_t kMinute = 60;
  constexpr int64_t kHour = 60 * kMinute;
  constexpr int64_t kDay = 24 * kHour;
  constexpr int64_t kYear = 365 * kDay;
  const std::pair<int64_t, std::string_view> rows[] = {
      {-2, "<invalid>"},
      {-1, "0s"},
      {0, "0s"},
      {58, "58s"},
      {119, "119s"},
      {2 * kMinute, "2m"},
      {3 * kMinute + 12, "3m12s"},
      {10 * kMinute - 1, "9m59s"},
      {10 * kMinute + 59, "10m"},
      {3 * kHour - 1, "179m"},
      {3 * kHour, "3h"},
      {3 * kHour + 59, "3h"},
      {5 * kHour + 3 * kMinute, "5h3m"},
      {8 * kHour - 1, "7h59m"},
      {8 * kHour + 59 * kMinute, "8h"},
      {2 * kDay - 1, "47h"},
      {2 * kDay, "2d"},
      {3 * kDay + 4 * kHour, "3d4h"},
      {8 * kDay - 1, "7d23h"},
      {8 * kDay + 23 * kHour, "8d"},
      {2 * kYear - 1, "729d"},
      {2 * kYear, "2y"},
      {2 * kYear + 31 * kDay, "2y31d"},
      {8 * kYear - 1, "7y364d"},
      {8 * kYear, "8y"},
      {9 * kYear - 1, "8y"},
  };
  for (const auto& [age, want] : rows) EXPECT_EQ(short_age(seconds(age)), want) << age;
}

TEST(GoDuration, ReadsAsGoPrintsIt) {
  const std::pair<nanoseconds, std::string_view> rows[] = {
      {0ns, "0s"},
      {1ns, "1ns"},
      {1100ns, "1.1µs"},
      {2200us, "2.2ms"},
      {300ms, "300ms"},
      {3300ms, "3.3s"},
      {1s, "1s"},
      {59999999999ns, "59.999999999s"},
      {1min, "1m0s"},
      {15min, "15m0s"},
      {4min + 5s, "4m5s"},
      {4min + 5001ms, "4m5.001s"},
      {1h, "1h0m0s"},
      {1h + 2min + 3500ms, "1h2m3.5s"},
      {5h + 6min + 7001ms, "5h6m7.001s"},
      {8min + 1ns, "8m0.000000001s"},
      {-90s, "-1m30s"},
      {nanoseconds::max(), "2562047h47m16.854775807s"},
      {nanoseconds::min(), "-2562047h47m16.854775808s"},
  };
  for (const auto& [duration, want] : rows) {
    EXPECT_EQ(go_duration(duration), want);
    EXPECT_EQ(parse_go_duration(want), duration) << want;
  }
}

TEST(ParseGoDuration, ReadsWhatGoReads) {
  const std::pair<std::string_view, nanoseconds> rows[] = {
      {"0", 0ns},
      {"-0", 0ns},
      {"+0", 0ns},
      {"00s", 0ns},
      {"5s", 5s},
      {"+5s", 5s},
      {"-1.5h", -90min},
      {"1478s", 1478s},
      {".5s", 500ms},
      {"5.s", 5s},
      {"1.004s", 1004ms},
      {"100.00100s", 100001ms},
      {"10ns", 10ns},
      {"12us", 12us},
      {"12\u00B5s", 12us},
      {"12\u03BCs", 12us},
      {"3h30m", 210min},
      {"10.5s4m", 4min + 10500ms},
      {"1h15m30.918273645s", 1h + 15min + 30918273645ns},
      {"0.3333333333333333333h", 20min},
      {"0.100000000000000000000h", 6min},
      {"9007199254740993ns", 9007199254740993ns},
      {"9223372036854775807ns", nanoseconds::max()},
      {"9223372036s854ms775us807ns", nanoseconds::max()},
      {"-9223372036854775808ns", nanoseconds::min()},
  };
  for (const auto& [text, want] : rows) EXPECT_EQ(parse_go_duration(text), want) << text;
}

TEST(ParseGoDuration, RefusesWhatGoRefuses) {
  const std::pair<const char*, std::string_view> rows[] = {
      {"empty", ""},
      {"no unit", "3"},
      {"sign alone", "-"},
      {"unit alone", "s"},
      {"point alone", "."},
      {"point with a unit", ".s"},
      {"two signs", "--1s"},
      {"sign inside", "1h-5m"},
      {"unknown unit", "1d"},
      {"unit in capitals", "1H"},
      {"blank inside", "1h 5m"},
      {"second part without unit", "1h5"},
      {"0 needs a unit once more follows", "00"},
      {"one too large", "9223372036854775808ns"},
      {"one too large in parts", "9223372036s854ms775us808ns"},
      {"too large by far", "99999999999999999999h"},
      {"too large once multiplied", "3000000h"},
      {"one too small", "-9223372036854775809ns"},
  };
  for (const auto& [reason, text] : rows) EXPECT_EQ(parse_go_duration(text), std::nullopt) << reason;
}

}  // namespace
}  // namespace chandler
