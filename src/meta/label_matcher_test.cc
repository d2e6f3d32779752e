#include "meta/label_matcher.h"

#include <map>
#include <random>

#include <gtest/gtest.h>

namespace chandler::meta {
namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

bool matches(std::string_view selector, const Labels& labels) {
  const auto parsed = LabelSelector::parse(selector);
  EXPECT_TRUE(parsed.ok()) << selector;
  return LabelMatcher(*parsed).matches(
      labels.size(), [&](size_t i) { return std::pair<std::string_view, std::string_view>(labels[i]); });
}

TEST(LabelMatcher, PutsTheTermsOfAKeyTogether) {
  struct Row {
    const char* reason;
    const char* selector;
    Labels labels;
    bool want;
  };
  const Row rows[] = {
      {"nothing is demanded", "", {{"a", "x"}}, true},
      {"the value is in both sets", "a in (x,y),a in (y,z)", {{"a", "y"}}, true},
      {"the value is in one set", "a in (x,y),a in (y,z)", {{"a", "x"}}, false},
      {"two values of one key", "a=x,a=y", {{"a", "x"}}, false},
      {"neither value", "a!=x,a notin (y,z)", {{"a", "w"}}, true},
      {"one of the values", "a!=x,a notin (y,z)", {{"a", "z"}}, false},
      {"the key is not there", "a!=x,a notin (y,z)", {{"b", "z"}}, true},
      {"both demanded and forbidden, there", "a,!a", {{"a", ""}}, false},
      {"both demanded and forbidden, not there", "a,!a", {}, false},
      {"between the nearest bounds", "a>1,a>3,a<9,a<7", {{"a", "4"}}, true},
      {"the highest lower bound counts", "a>3,a>1", {{"a", "3"}}, false},
      {"the lowest upper bound counts", "a<7,a<9", {{"a", "7"}}, false},
      {"no number", "a>1,a<9", {{"a", "x"}}, false},
      {"the greatest number there is", "a>9223372036854775807", {{"a", "9223372036854775807"}}, false},
      {"one label misses", "a,b,c", {{"a", ""}, {"b", ""}, {"d", ""}}, false},
      {"other labels do not count", "a,c", {{"a", ""}, {"b", ""}, {"c", ""}}, true},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(matches(row.selector, row.labels), row.want) << row.reason << ": " << row.selector;
  }
}

TEST(LabelMatcher, AgreesWithTheSelector) {
  std::minstd_rand random(1);
  const auto pick = [&](std::initializer_list<const char*> from) { return *(from.begin() + random() % from.size()); };
  const auto key = [&] { return std::string(pick({"a", "b", "c"})); };
  const auto value = [&] { return std::string(pick({"", "1", "5", "9", "x"})); };
  const auto term = [&]() -> std::string {
    switch (random() % 8) {
      case 0:
        return key();
      case 1:
        return "!" + key();
      case 2:
        return key() + "=" + value();
      case 3:
        return key() + "!=" + value();
      case 4:
        return key() + " in (" + value() + "," + value() + "," + value() + ")";
      case 5:
        return key() + " notin (" + value() + "," + value() + ")";
      default:
        return key() + pick({">", "<"}) + pick({"0", "1", "5", "8"});
    }
  };
  size_t matched = 0;
  constexpr size_t kRounds = 4'000;
  for (size_t round = 0; round < kRounds; ++round) {
    std::string selector = term();
    while (random() % 2 == 0) selector += "," + term();
    std::map<std::string, std::string, std::less<>> labels;
    while (random() % 3 != 0) labels[key()] = value();
    const bool want = LabelSelector::parse(selector)->matches([&](std::string_view wanted) {
      const auto found = labels.find(wanted);
      return found == labels.end() ? std::nullopt : std::optional<std::string_view>(found->second);
    });
    ASSERT_EQ(matches(selector, Labels(labels.begin(), labels.end())), want) << selector;
    matched += want ? 1 : 0;
  }
  EXPECT_GT(matched, kRounds / 10) << "both answers must be frequent";
  EXPECT_LT(matched, kRounds - kRounds / 10);
}

}  // namespace
}  // namespace chandler::meta
