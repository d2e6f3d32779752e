#include "osb/client/http_date.h"

#include <algorithm>

#include "base/text.h"

namespace chandler::osb {
namespace {

using std::chrono::seconds;

constexpr seconds kLongest{24 * 3600};

std::optional<int> digits(std::string_view text) {
  if (text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  const auto number = parse_int64(text);
  return number ? std::optional<int>(static_cast<int>(*number)) : std::nullopt;
}

}  // namespace

std::optional<WallTime> parse_http_date(std::string_view text) {
  // Positions are fixed:  Sun, 06 Nov 1994 08:49:37 GMT
  if (text.size() != 29 || text.substr(3, 2) != ", " || text.substr(25) != " GMT") return std::nullopt;
  if (text[7] != ' ' || text[11] != ' ' || text[16] != ' ' || text[19] != ':' || text[22] != ':') return std::nullopt;
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const size_t month = kMonths.find(text.substr(8, 3));
  const auto day = digits(text.substr(5, 2));
  const auto year = digits(text.substr(12, 4));
  const auto hour = digits(text.substr(17, 2));
  const auto minute = digits(text.substr(20, 2));
  const auto second = digits(text.substr(23, 2));
  if (month == std::string_view::npos || month % 3 != 0 || !day || !year || !hour || !minute || !second) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(month / 3 + 1)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return WallTime(std::chrono::sys_days(date)) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         seconds(*second);
}

std::optional<seconds> read_retry_after(const http::Headers& headers) {
  const std::string_view value = trim(headers.get("Retry-After"));
  if (value.empty()) return std::nullopt;
  if (value.find_first_not_of("0123456789") == std::string_view::npos) {
    const auto count = parse_int64(value);  // too many digits: longer than the longest
    return count ? std::min(seconds(std::min<int64_t>(*count, kLongest.count())), kLongest) : kLongest;
  }
  const auto then = parse_http_date(value);
  const auto now = parse_http_date(trim(headers.get("Date")));
  if (!then || !now) return std::nullopt;
  return std::clamp(std::chrono::duration_cast<seconds>(*then - *now), seconds(0), kLongest);
}

}  // namespace chandler::osb
