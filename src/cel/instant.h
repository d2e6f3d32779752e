// Moments from the year 1 to 9999 in nanoseconds, which is more than a clock of 64 bits of nanoseconds can count. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace chandler::cel {

struct Instant {
  int64_t seconds = 0;  // since 1970
  uint32_t nanos = 0;
};

constexpr int64_t kFirstSecond = -62135596800;  // 0001-01-01T00:00:00Z
constexpr int64_t kLastSecond = 253402300799;   // 9999-12-31T23:59:59Z

std::optional<Instant> parse_instant(std::string_view text);  // RFC 3339, any offset
std::optional<Instant> parse_date(std::string_view text);     // 2006-01-02
std::string instant_text(const Instant& instant);             // RFC 3339, UTC, as many digits as it takes

// Fields of the moment in UTC; month, day of the month (`date` counts from 1) and of the year from 0, Sunday is 0.
struct Calendar {
  int64_t year = 0, month = 0, day = 0, weekday = 0, year_day = 0, hour = 0, minute = 0, second = 0, milli = 0;
};
Calendar calendar_of(const Instant& instant);

}  // namespace chandler::cel
