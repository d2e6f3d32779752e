#include "base/cut_text.h"

#include <gtest/gtest.h>

namespace chandler {
namespace {

TEST(CutText, NeverEndsInsideACharacter) {
  const struct {
    std::string_view text;
    size_t most;
    std::string_view expected;
    const char* reason;
  } rows[] = {
      {"abc", 3, "abc", "short enough"},
      {"abc", 2, "ab", "cut"},
      {"", 0, "", "nothing"},
      {"a\xC3\xA4", 2, "a", "a letter of two bytes is whole or absent"},
      {"a\xC3\xA4"
       "b",
       3, "a\xC3\xA4", "whole"},
      {"\xE2\x82\xAC", 2, "", "none of three bytes"},
      {"\x80\x80\x80", 2, "", "what is no UTF-8 is cut too"},
  };
  for (const auto& row : rows) EXPECT_EQ(cut_text(row.text, row.most), row.expected) << row.reason;
}

TEST(Shorten, ShowsThatSomethingIsMissing) {
  EXPECT_EQ(shorten("abc", 3), "abc");
  EXPECT_EQ(shorten("abcd", 3), "abc...");
  EXPECT_EQ(shorten("a\xC3\xA4", 2), "a...");
}

}  // namespace
}  // namespace chandler
