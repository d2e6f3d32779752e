#include "base/visible_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace chandler {
namespace {

std::string utf8(uint32_t code) {
  const auto tail = [](uint32_t bits) { return static_cast<char>(0x80U | (bits & 0x3FU)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0U | code >> 6U), tail(code)};
  if (code < 0x10000) return {static_cast<char>(0xE0U | code >> 12U), tail(code >> 6U), tail(code)};
  return {static_cast<char>(0xF0U | code >> 18U), tail(code >> 12U), tail(code >> 6U), tail(code)};
}

// Every character up to where the last range ends, so that none has an end that is off by one; further on, samples.
TEST(VisibleText, BlanksWhatIsNotShownAndNothingElse) {
  for (uint32_t code = 0; code <= 0x10FFFF; code += code < 0x2100 ? 1 : 0x1F) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    const bool hidden = code <= 0x1F || (code >= 0x7F && code <= 0x9F) || code == 0x61C || code == 0x200E ||
                        code == 0x200F || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    const auto text = "a" + utf8(code) + "b";
    const auto want = hidden ? "a b" : text;
    if (visible_text(text) != want || is_visible(text) == hidden) FAIL() << fmt::format("U+{:04X}", code);
    const bool keeps = code == '\n' || code == '\t';
    if (visible_text(text, Lines::kKeep) != (keeps ? text : want)) FAIL() << fmt::format("U+{:04X} of lines", code);
  }
}

TEST(VisibleText, SequencesAreBroken) {
  EXPECT_EQ(visible_text("\x1b[31mred\x1b[0m"), " [31mred [0m");
  EXPECT_EQ(visible_text("\xC2\x9B"
                         "31mred"),
            " 31mred");
  EXPECT_EQ(visible_text("pay\xE2\x80\xAE"
                         "lob.exe"),
            "pay lob.exe");
  EXPECT_EQ(visible_text("two\r\nlines"), "two  lines");
  EXPECT_EQ(visible_text(""), "");
}

TEST(VisibleText, IllFormedBytesAreReplacedOneByOne) {
  const std::string sign = "\xEF\xBF\xBD";
  for (const std::string bad : {"\x80", "\xC0", "\xC1", "\xF5", "\xFF", "\x9B"}) {
    EXPECT_EQ(visible_text("a" + bad + "b"), "a" + sign + "b");
    EXPECT_FALSE(is_visible(bad));
  }
  EXPECT_EQ(visible_text("\xE2\x80"), sign + sign) << "cut off";
  EXPECT_EQ(visible_text("\xC0\x9B"), sign + sign) << "ESC in two bytes";
  EXPECT_EQ(visible_text("\xE0\x82\x9B"), sign + sign + sign) << "CSI in three bytes";
  EXPECT_EQ(visible_text("\xED\xA0\x80"), sign + sign + sign) << "a surrogate";
  EXPECT_EQ(visible_text("\xF4\x90\x80\x80"), sign + sign + sign + sign) << "behind the last character";
}

// Whatever comes in, what goes out is well-formed, visible, and stays as it is.
TEST(VisibleText, AnyBytesBecomeVisibleAndStaySo) {
  uint64_t state = 1;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (int i = 0; i < 40; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      constexpr std::string_view kEdges = "\x1b\x7f\x80\x9b\xc2\xd8\x9c\xe2\x80\xae\x81\xa6\xf0\x9f\n\ta";
      bytes += kEdges[(state >> 33U) % kEdges.size()];
    }
    for (const auto lines : {Lines::kJoin, Lines::kKeep}) {
      const auto shown = visible_text(bytes, lines);
      EXPECT_TRUE(is_valid_utf8(shown));
      EXPECT_TRUE(is_visible(shown, lines));
      EXPECT_EQ(visible_text(shown, lines), shown);
      EXPECT_EQ(is_visible(bytes, lines), shown == bytes);
    }
  }
}

}  // namespace
}  // namespace chandler
