#include "admission/cron_schedule.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "base/time_text.h"

namespace chandler::admission {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kDays = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
constexpr std::array<std::string_view, 7> kWords = {"@yearly", "@annually", "@monthly", "@weekly",
                                                    "@daily",  "@midnight", "@hourly"};
constexpr std::string_view kEvery = "@every ";

struct Field {
  std::string_view name;
  int64_t min;
  int64_t max;
};
constexpr std::array<Field, 5> kFields = {Field{"minute", 0, 59}, Field{"hour", 0, 23}, Field{"day of month", 1, 31},
                                          Field{"month", 1, 12}, Field{"day of week", 0, 6}};

std::optional<int64_t> number_of(std::string_view text, const Field& field) {
  const auto name = to_lower(text);
  if (field.name == "month") {
    const auto found = std::find(kMonths.begin(), kMonths.end(), name);
    if (found != kMonths.end()) return found - kMonths.begin() + 1;
  }
  if (field.name == "day of week") {
    const auto found = std::find(kDays.begin(), kDays.end(), name);
    if (found != kDays.end()) return found - kDays.begin();
  }
  const auto number = parse_uint64(text);
  if (!number || *number > 99) return std::nullopt;
  return static_cast<int64_t>(*number);
}

// One piece of a list: *, 5, 1-5, each with /step.
bool is_range(std::string_view piece, const Field& field) {
  const auto slash = piece.find('/');
  if (slash != std::string_view::npos) {
    const auto step = parse_uint64(piece.substr(slash + 1));
    if (!step || *step == 0) return false;
    piece = piece.substr(0, slash);
  }
  if (piece == "*" || piece == "?") return true;
  const auto dash = piece.find('-');
  const auto first = number_of(piece.substr(0, dash), field);
  const auto last = dash == std::string_view::npos ? first : number_of(piece.substr(dash + 1), field);
  return first && last && *first >= field.min && *last <= field.max && *first <= *last;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (const auto word : split(text, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

}  // namespace

std::string check_cron_schedule(std::string_view schedule) {
  if (schedule.find("TZ") != std::string_view::npos) return "the time zone stands in the field timeZone";
  if (schedule.starts_with('@')) {
    if (std::find(kWords.begin(), kWords.end(), schedule) != kWords.end()) return "";
    if (schedule.starts_with(kEvery) && parse_go_duration(schedule.substr(kEvery.size()))) return "";
    return "not known; there are " + join({kWords.begin(), kWords.end()}, ", ") + " and @every with a duration";
  }
  const auto words = words_of(schedule);
  if (words.size() != kFields.size()) {
    return fmt::format("has {} fields instead of five: minute, hour, day of month, month, day of week", words.size());
  }
  for (size_t i = 0; i < words.size(); ++i) {
    for (const auto piece : split(words[i], ',')) {
      if (is_range(piece, kFields[i])) continue;
      return fmt::format("the {} {} is not understood; it is a list of numbers or ranges from {} to {}, or *",
                         kFields[i].name, quoted(words[i]), kFields[i].min, kFields[i].max);
    }
  }
  return "";
}

}  // namespace chandler::admission
