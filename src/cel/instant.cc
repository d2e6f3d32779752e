#include "cel/instant.h"

#include <chrono>

#include <fmt/format.h>

namespace chandler::cel {
namespace {

constexpr int64_t kDaySeconds = 86400;

// Takes `count` digits off the front.
std::optional<int> take_digits(std::string_view& text, size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (size_t i = 0; i < count; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take_char(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<int64_t> take_date(std::string_view& text) {
  const auto year = take_digits(text, 4);
  if (!year || !take_char(text, "-")) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take_char(text, "-")) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *year < 1) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count() * kDaySeconds;
}

// "15:04:05" and ":05" less of an offset.
std::optional<int64_t> take_clock(std::string_view& text, bool with_seconds) {
  const auto hour = take_digits(text, 2);
  if (!hour || *hour > 23 || !take_char(text, ":")) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  if (!with_seconds) return *hour * 3600 + *minute * 60;
  if (!take_char(text, ":")) return std::nullopt;
  const auto second = take_digits(text, 2);
  if (!second || *second > 59) return std::nullopt;
  return *hour * 3600 + *minute * 60 + *second;
}

}  // namespace

std::optional<Instant> parse_date(std::string_view text) {
  const auto days = take_date(text);
  if (!days || !text.empty()) return std::nullopt;
  return Instant{*days, 0};
}

std::optional<Instant> parse_instant(std::string_view text) {
  const auto days = take_date(text);
  if (!days || !take_char(text, "Tt")) return std::nullopt;
  const auto clock = take_clock(text, true);
  if (!clock) return std::nullopt;
  uint32_t nanos = 0;
  if (take_char(text, ".")) {
    size_t digits = 0;
    while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
      if (digits < 9) nanos = nanos * 10 + static_cast<uint32_t>(text.front() - '0');
      ++digits;
      text.remove_prefix(1);
    }
    if (digits == 0) return std::nullopt;
    for (size_t i = digits; i < 9; ++i) nanos *= 10;
  }
  int64_t offset = 0;
  if (!take_char(text, "Zz")) {
    const bool west = !text.empty() && text.front() == '-';
    if (!take_char(text, "+-")) return std::nullopt;
    const auto given = take_clock(text, false);
    if (!given) return std::nullopt;
    offset = west ? -*given : *given;
  }
  const int64_t seconds = *days + *clock - offset;
  if (!text.empty() || seconds < kFirstSecond || seconds > kLastSecond) return std::nullopt;
  return Instant{seconds, nanos};
}

Calendar calendar_of(const Instant& instant) {
  int64_t days = instant.seconds / kDaySeconds;
  int64_t rest = instant.seconds % kDaySeconds;
  if (rest < 0) {
    rest += kDaySeconds;
    --days;
  }
  const std::chrono::sys_days day{std::chrono::days(days)};
  const std::chrono::year_month_day date(day);
  Calendar out;
  out.year = static_cast<int>(date.year());
  out.month = static_cast<unsigned>(date.month()) - 1;
  out.day = static_cast<unsigned>(date.day()) - 1;
  out.weekday = std::chrono::weekday(day).c_encoding();
  out.year_day = (day - std::chrono::sys_days(date.year() / 1 / 1)).count();
  out.hour = rest / 3600;
  out.minute = rest / 60 % 60;
  out.second = rest % 60;
  out.milli = instant.nanos / 1000000;
  return out;
}

std::string instant_text(const Instant& instant) {
  const auto at = calendar_of(instant);
  std::string out = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", at.year, at.month + 1, at.day + 1, at.hour,
                                at.minute, at.second);
  if (instant.nanos != 0) {
    std::string digits = fmt::format("{:09}", instant.nanos);
    digits.erase(digits.find_last_not_of('0') + 1);
    out += "." + digits;
  }
  return out + "Z";
}

}  // namespace chandler::cel
