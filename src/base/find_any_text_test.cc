#include "base/find_any_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/growth.h"

namespace chandler {
namespace {

using Wanted = AnyText::Wanted;

std::string covered(const std::vector<Wanted>& wanted, std::string_view in) {
  std::string out(in);
  for (const auto& place : AnyText(wanted).places(in))
    out.replace(place.begin, place.end - place.begin, place.end - place.begin, '#');
  return out;
}

TEST(AnyText, FindsAllOfThem) {
  EXPECT_EQ(covered({{"he"}, {"she"}, {"his"}, {"hers"}}, "ushers of this"), "u##### of t###");
  EXPECT_EQ(covered({{"abcdef"}, {"defghi"}}, "xabcdefghix"), "x#########x") << "overlapping";
  EXPECT_EQ(covered({{"bcd"}, {"abcde"}}, "abcdf abcde"), "a###f #####") << "one inside the other";
  EXPECT_EQ(covered({{"ab"}}, "ababab"), "######");
  EXPECT_EQ(covered({}, "text"), "text");
  EXPECT_EQ(covered({{""}}, "text"), "text");
  EXPECT_EQ(covered({{"text"}}, ""), "");
  EXPECT_EQ(covered({{"\xFF\x01"}, {"\x80"}}, "a\xFF\x01\x80z"), "a###z") << "bytes are no signed numbers";
}

TEST(AnyText, WordsStandAlone) {
  const std::vector<Wanted> wanted{{"test", true}, {"ok", true}};
  EXPECT_EQ(covered(wanted, "test 'test' latest testing test_ok ok."), "#### '####' latest testing ####_## ##.");
  EXPECT_EQ(covered(wanted, "t\xC3\xA4test test\xC3\xA4"), "t\xC3\xA4test test\xC3\xA4");
  EXPECT_EQ(covered({{"test", true}, {"test"}}, "latest"), "la####") << "wanted both ways";
}

// The same as trying each text at each place.
TEST(AnyText, AgreesWithTryingEach) {
  uint64_t state = 7;
  const auto dice = [&](uint64_t sides) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33U) % sides;
  };
  const auto random_text = [&](size_t most) {
    std::string text;
    for (size_t i = dice(most) + 1; i > 0; --i) text += "ab-"[dice(3)];
    return text;
  };
  const auto in_word = [](char c) { return c == 'a' || c == 'b'; };
  for (int round = 0; round < 5000; ++round) {
    std::vector<Wanted> wanted;
    for (size_t i = dice(6); i > 0; --i) {
      auto text = random_text(5);
      wanted.push_back({std::move(text), dice(2) == 0});
    }
    const std::string in = random_text(20);
    std::string want = in;
    for (const auto& each : wanted) {
      for (size_t at = in.find(each.text); at != std::string::npos; at = in.find(each.text, at + 1)) {
        const size_t end = at + each.text.size();
        const bool alone = (at == 0 || !in_word(in[at - 1])) && (end == in.size() || !in_word(in[end]));
        if (alone || !each.as_word) want.replace(at, each.text.size(), each.text.size(), '#');
      }
    }
    ASSERT_EQ(covered(wanted, in), want) << in;
  }
}

// Texts that all begin alike, and a text that begins like all of them everywhere.
TEST(AnyText, CostsInProportion) {
  constexpr size_t kMost = 128 * 1024;  // the most that a broker's text is searched for
  EXPECT_TRUE(testing::is_linear(kMost, [](size_t size) -> testing::Growth::Work {
    std::vector<Wanted> wanted;
    for (size_t i = 0; i < size / 64; ++i) wanted.push_back({std::string(32, 'a') + fmt::format("{:08}", i)});
    return [wanted, in = std::string(size, 'a')] { EXPECT_TRUE(AnyText(wanted).places(in).empty()); };
  }));
  EXPECT_TRUE(testing::is_linear(kMost, [](size_t size) -> testing::Growth::Work {
    return [wanted = std::vector<Wanted>{{std::string(size / 2, 'a') + "b"}}, in = std::string(size, 'a')] {
      EXPECT_TRUE(AnyText(wanted).places(in).empty());
    };
  }));
}

}  // namespace
}  // namespace chandler
