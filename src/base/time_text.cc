#include "base/time_text.h"

#include <cstdint>
#include <iterator>

#include <fmt/format.h>

namespace chandler {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

std::string to_the_second(WallTime time) {
  const auto day = floor<days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(floor<seconds>(time - day));
  const int year = static_cast<int>(date.year());
  if (year < 0 || year > 9999) {
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", year, static_cast<unsigned>(date.month()),
                       static_cast<unsigned>(date.day()), clock.hours().count(), clock.minutes().count(),
                       clock.seconds().count());
  }
  // Every write needs one, so the digits are put by hand.
  std::string text = "0000-00-00T00:00:00";
  const auto put = [&text](size_t at, unsigned two_digits) {
    text[at] = static_cast<char>('0' + two_digits / 10);
    text[at + 1] = static_cast<char>('0' + two_digits % 10);
  };
  put(0, static_cast<unsigned>(year) / 100);
  put(2, static_cast<unsigned>(year) % 100);
  put(5, static_cast<unsigned>(date.month()));
  put(8, static_cast<unsigned>(date.day()));
  put(11, static_cast<unsigned>(clock.hours().count()));
  put(14, static_cast<unsigned>(clock.minutes().count()));
  put(17, static_cast<unsigned>(clock.seconds().count()));
  return text;
}

// Reads a text from left to right; every step says whether it fitted.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  bool skip(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool at_digit() const { return !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; }
  int digit() {
    const int value = rest_[0] - '0';
    rest_.remove_prefix(1);
    return value;
  }
  // Exactly `width` digits with a value from `low` to `high`.
  bool number(int width, int low, int high, int& out) {
    out = 0;
    for (int i = 0; i < width; ++i) {
      if (!at_digit()) return false;
      out = out * 10 + digit();
    }
    return out >= low && out <= high;
  }
  std::string_view take_while(bool (*wanted)(char)) {
    size_t length = 0;
    while (length < rest_.size() && wanted(rest_[length])) ++length;
    const auto taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }

 private:
  std::string_view rest_;
};

bool read_fraction(Cursor& cursor, microseconds& out) {
  int64_t value = 0;
  int width = 0;
  for (; cursor.at_digit() && width < 9; ++width) value = value * 10 + cursor.digit();
  if (width == 0) return false;
  for (; width < 9; ++width) value *= 10;
  out = microseconds(value / 1000);
  return true;
}

bool read_offset(Cursor& cursor, minutes& out) {
  if (cursor.skip('Z')) return true;
  const bool west = cursor.skip('-');
  if (!west && !cursor.skip('+')) return false;
  int h = 0;
  int m = 0;
  if (!cursor.number(2, 0, 23, h) || !cursor.skip(':') || !cursor.number(2, 0, 59, m)) return false;
  out = (hours(h) + minutes(m)) * (west ? -1 : 1);
  return true;
}

// "5m3s", or "5m" when there is nothing of the smaller unit.
std::string two_units(int64_t large, char large_unit, int64_t small, char small_unit) {
  return small == 0 ? fmt::format("{}{}", large, large_unit)
                    : fmt::format("{}{}{}{}", large, large_unit, small, small_unit);
}

// `value` / `scale` with no more fraction digits than it needs.
void append_decimal(std::string& out, uint64_t value, uint64_t scale) {
  fmt::format_to(std::back_inserter(out), "{}", value / scale);
  uint64_t fraction = value % scale;
  if (fraction == 0) return;
  out += '.';
  while (fraction > 0) {
    scale /= 10;
    out += static_cast<char>('0' + fraction / scale);
    fraction %= scale;
  }
}

// The unit in nanoseconds; 0 for a word that is no unit.
uint64_t duration_unit(std::string_view word) {
  if (word == "ns") return 1;
  if (word == "us" || word == "\u00B5s" || word == "\u03BCs") return 1'000;
  if (word == "ms") return 1'000'000;
  if (word == "s") return 1'000'000'000;
  if (word == "m") return 60'000'000'000;
  if (word == "h") return 3'600'000'000'000;
  return 0;
}

constexpr uint64_t kMostNegative = uint64_t{1} << 63;  // its magnitude; the most positive duration is one less

// One "1.5h" of a duration, in nanoseconds. nullopt: not a number with a unit, or too large.
std::optional<uint64_t> read_duration_part(Cursor& cursor) {
  bool any_digit = false;
  uint64_t whole = 0;
  while (cursor.at_digit()) {
    any_digit = true;
    if (whole > kMostNegative / 10) return std::nullopt;
    whole = whole * 10 + static_cast<uint64_t>(cursor.digit());
    if (whole > kMostNegative) return std::nullopt;
  }
  uint64_t fraction = 0;
  double scale = 1;
  if (cursor.skip('.')) {
    while (cursor.at_digit()) {
      any_digit = true;
      const auto digit = static_cast<uint64_t>(cursor.digit());
      // Digits beyond what 63 bits hold are far below a nanosecond.
      if (fraction > (kMostNegative - 10) / 10) continue;
      fraction = fraction * 10 + digit;
      scale *= 10;
    }
  }
  const uint64_t unit = duration_unit(cursor.take_while([](char c) { return c != '.' && (c < '0' || c > '9'); }));
  if (!any_digit || unit == 0 || whole > kMostNegative / unit) return std::nullopt;
  // In floating point as Go does, so that 0.3333333333333333333h is 20 minutes here too.
  const auto below_one = static_cast<uint64_t>(static_cast<double>(fraction) * (static_cast<double>(unit) / scale));
  const uint64_t part = whole * unit + below_one;
  if (part > kMostNegative) return std::nullopt;
  return part;
}

}  // namespace

std::string rfc3339(WallTime time) { return to_the_second(time) + "Z"; }

std::string rfc3339_micro(WallTime time) {
  return fmt::format("{}.{:06}Z", to_the_second(time), (time - floor<seconds>(time)).count());
}

std::optional<WallTime> parse_rfc3339(std::string_view text) {
  Cursor cursor(text);
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  const bool fits = cursor.number(4, 0, 9999, year) && cursor.skip('-') && cursor.number(2, 1, 12, month) &&
                    cursor.skip('-') && cursor.number(2, 1, 31, day) && cursor.skip('T') &&
                    cursor.number(2, 0, 23, hour) && cursor.skip(':') && cursor.number(2, 0, 59, minute) &&
                    cursor.skip(':') && cursor.number(2, 0, 59, second);
  if (!fits) return std::nullopt;
  microseconds fraction{0};
  if (cursor.skip('.') && !read_fraction(cursor, fraction)) return std::nullopt;
  minutes offset{0};
  if (!read_offset(cursor, offset) || !cursor.done()) return std::nullopt;

  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return WallTime(std::chrono::sys_days(date)) + hours(hour) + minutes(minute) + seconds(second) + fraction - offset;
}

std::string short_age(seconds age) {
  const int64_t s = age.count();
  if (s < -1) return "<invalid>";
  if (s < 0) return "0s";
  if (s < 2 * 60) return fmt::format("{}s", s);
  const int64_t m = s / 60;
  if (m < 10) return two_units(m, 'm', s % 60, 's');
  if (m < 3 * 60) return fmt::format("{}m", m);
  const int64_t h = m / 60;
  if (h < 8) return two_units(h, 'h', m % 60, 'm');
  if (h < 48) return fmt::format("{}h", h);
  const int64_t d = h / 24;
  if (d < 8) return two_units(d, 'd', h % 24, 'h');
  if (d < 2 * 365) return fmt::format("{}d", d);
  if (d < 8 * 365) return two_units(d / 365, 'y', d % 365, 'd');
  return fmt::format("{}y", d / 365);
}

std::string go_duration(nanoseconds duration) {
  const int64_t signed_count = duration.count();
  if (signed_count == 0) return "0s";
  // Negated as unsigned: the most negative value has no positive counterpart.
  const uint64_t ns =
      signed_count < 0 ? uint64_t{0} - static_cast<uint64_t>(signed_count) : static_cast<uint64_t>(signed_count);
  std::string out = signed_count < 0 ? "-" : "";
  if (ns < 1'000) {
    append_decimal(out, ns, 1);
    return out + "ns";
  }
  if (ns < 1'000'000) {
    append_decimal(out, ns, 1'000);
    return out + "\u00B5s";
  }
  if (ns < 1'000'000'000) {
    append_decimal(out, ns, 1'000'000);
    return out + "ms";
  }
  const uint64_t all_minutes = ns / 60'000'000'000;
  if (all_minutes >= 60) fmt::format_to(std::back_inserter(out), "{}h", all_minutes / 60);
  if (all_minutes > 0) fmt::format_to(std::back_inserter(out), "{}m", all_minutes % 60);
  append_decimal(out, ns % 60'000'000'000, 1'000'000'000);
  return out + "s";
}

std::optional<nanoseconds> parse_go_duration(std::string_view text) {
  Cursor cursor(text);
  const bool negative = cursor.skip('-');
  if (!negative) cursor.skip('+');
  if (cursor.done()) return std::nullopt;
  if (text == "0" || text == "-0" || text == "+0") return nanoseconds(0);  // the one number that needs no unit
  uint64_t sum = 0;
  while (!cursor.done()) {
    const auto part = read_duration_part(cursor);
    if (!part) return std::nullopt;
    sum += *part;
    if (sum > kMostNegative) return std::nullopt;
  }
  if (negative) return nanoseconds(static_cast<int64_t>(uint64_t{0} - sum));
  if (sum == kMostNegative) return std::nullopt;
  return nanoseconds(static_cast<int64_t>(sum));
}

}  // namespace chandler
