#include "base/find_text.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace chandler {
namespace {

// Few different characters, so that much is found, nearly found, and found across the ends of blocks.
TEST(FindText, FindsWhatTheStandardLibraryFinds) {
  std::mt19937 random(1);
  const auto number = [&](size_t most) { return std::uniform_int_distribution<size_t>(0, most)(random); };
  const auto letters = [&](size_t size) {
    std::string out;
    while (out.size() < size) out.push_back("ab"[number(1)]);
    return out;
  };
  for (int i = 0; i < 100'000; ++i) {
    const auto in = letters(number(70));
    const auto text = letters(number(number(1) == 0 ? 3 : 20));
    const size_t from = number(75);
    ASSERT_EQ(find_text(in, text, from), in.find(text, from)) << in << " " << text << " " << from;
    ASSERT_EQ(find_last_text(in, text), in.rfind(text)) << in << " " << text;
    if (in.empty()) continue;
    const auto begin = number(in.size() - 1);
    const auto part = in.substr(begin, 1 + number(30));
    ASSERT_EQ(find_text(in, part), in.find(part)) << in << " " << part;
    ASSERT_EQ(find_last_text(in, part), in.rfind(part)) << in << " " << part;
  }
}

TEST(FindText, LooksAtNothingOutside) {
  const std::string all = "0123456789abcdef0123456789abcdef+";
  EXPECT_EQ(find_text(std::string_view(all).substr(0, 32), "+"), std::string_view::npos);
  EXPECT_EQ(find_text(std::string_view(all).substr(0, 32), "f+"), std::string_view::npos);
  EXPECT_EQ(find_text(all, "f+"), 31U);
  EXPECT_EQ(find_last_text(std::string_view(all).substr(0, 32), "f+"), std::string_view::npos);
  EXPECT_EQ(find_last_text(std::string_view(all).substr(1), "01"), 15U);
  EXPECT_EQ(find_last_text(std::string_view(all).substr(17), "01"), std::string_view::npos);
}

}  // namespace
}  // namespace chandler
