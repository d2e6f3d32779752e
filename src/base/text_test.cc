#include "base/text.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace chandler {
namespace {

using ::testing::ElementsAre;

TEST(Split, KeepsEmptyPieces) {
  EXPECT_THAT(split("", ','), ElementsAre(""));
  EXPECT_THAT(split("a", ','), ElementsAre("a"));
  EXPECT_THAT(split("a,,b,", ','), ElementsAre("a", "", "b", ""));
}

TEST(Join, PutsTheSeparatorOnlyBetween) {
  EXPECT_EQ(join({}, ", "), "");
  EXPECT_EQ(join({"a"}, ", "), "a");
  EXPECT_EQ(join({"a", "", "b"}, ", "), "a, , b");
}

TEST(Trim, RemovesWhiteSpaceAtBothEndsOnly) {
  EXPECT_EQ(trim(" \t\r\n a b \v\f"), "a b");
  EXPECT_EQ(trim("a"), "a");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Case, IsFoldedForAsciiAlone) {
  EXPECT_EQ(to_lower("AZaz09Ä"), "azaz09Ä");
  EXPECT_TRUE(equals_ignore_case("Content-TYPE", "content-type"));
  EXPECT_FALSE(equals_ignore_case("content-type", "content-typ"));
  EXPECT_FALSE(equals_ignore_case("[", "{"));  // differ by the bit that tells cases apart
}

TEST(Quoted, IsAJsonString) {
  EXPECT_EQ(quoted(""), R"("")");
  EXPECT_EQ(quoted(R"(a"b\c)"), R"("a\"b\\c")");
  EXPECT_EQ(quoted("\n\r\t"), R"("\n\r\t")");
  EXPECT_EQ(quoted(std::string_view("\0\x1f", 2)), R"("\u0000\u001f")");
  EXPECT_EQ(quoted("grün €"), "\"grün €\"");
}

TEST(Quoted, EscapesWhatSteersATerminalOrReordersALine) {
  EXPECT_EQ(quoted("a\x7f"), R"("a\u007f")");
  EXPECT_EQ(quoted("\xC2\x9B[31m"), R"("\u009b[31m")") << "one character that begins a sequence of a terminal";
  EXPECT_EQ(quoted("a\u202eb\u2066"), R"("a\u202eb\u2066")");
  EXPECT_EQ(quoted("\U0001F600"), "\"\U0001F600\"");
}

TEST(Quoted, ReplacesIllFormedUtf8) {
  EXPECT_EQ(quoted("a\xFFz"), "\"a\uFFFDz\"");
  EXPECT_EQ(quoted("\xE2\x82"), "\"\uFFFD\uFFFD\"");
}

struct IntegerRow {
  const char* reason;
  std::string_view text;
  std::optional<int64_t> as_signed;
  std::optional<uint64_t> as_unsigned;
};

TEST(ParseInteger, TakesTheWholeTextOrNothing) {
  const IntegerRow rows[] = {
      {"zero", "0", 0, 0},
      {"leading zeros do no harm", "007", 7, 7},
      {"negative only if signed", "-12", -12, std::nullopt},
      {"largest signed", "9223372036854775807", std::numeric_limits<int64_t>::max(), 9223372036854775807u},
      {"one too large for signed", "9223372036854775808", std::nullopt, 9223372036854775808u},
      {"smallest signed", "-9223372036854775808", std::numeric_limits<int64_t>::min(), std::nullopt},
      {"largest unsigned", "18446744073709551615", std::nullopt, std::numeric_limits<uint64_t>::max()},
      {"one too large for unsigned", "18446744073709551616", std::nullopt, std::nullopt},
      {"empty", "", std::nullopt, std::nullopt},
      {"sign alone", "-", std::nullopt, std::nullopt},
      {"plus sign", "+1", std::nullopt, std::nullopt},
      {"blank before", " 1", std::nullopt, std::nullopt},
      {"something after", "1a", std::nullopt, std::nullopt},
      {"fraction", "1.0", std::nullopt, std::nullopt},
      {"hexadecimal", "0x1", std::nullopt, std::nullopt},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(parse_int64(row.text), row.as_signed) << row.reason;
    EXPECT_EQ(parse_uint64(row.text), row.as_unsigned) << row.reason;
  }
}

TEST(Base64, AgreesWithTheVectorsOfRfc4648) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
      {"\xFB\xFF", "+/8="},
  };
  for (const auto& [bytes, text] : rows) {
    EXPECT_EQ(base64_encode(bytes), text);
    EXPECT_EQ(base64_decode(text), bytes);
  }
}

TEST(Base64, BringsBackEveryByte) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  for (size_t length = 0; length <= bytes.size(); ++length) {
    const auto part = bytes.substr(bytes.size() - length);
    EXPECT_EQ(base64_decode(base64_encode(part)), part);
    EXPECT_EQ(base64url_decode(base64url_encode(part)), part);
  }
}

TEST(Base64, RefusesWhatIsNotBase64) {
  const std::pair<const char*, std::string_view> rows[] = {
      {"one digit holds no byte", "Z"},
      {"padding is missing", "Zg"},
      {"padding is too short", "Zg="},
      {"padding is too long", "Zm9v===="},
      {"padding alone", "===="},
      {"padding inside", "Zg==Zg=="},
      {"white space", "Zm9v\n"},
      {"white space inside", "Zm 9"},
      {"the URL alphabet", "-_8="},
      {"not ASCII", "Zm9\xFF"},
      {"a digit and three of padding", "Z==="},
  };
  for (const auto& [reason, text] : rows) EXPECT_EQ(base64_decode(text), std::nullopt) << reason;
}

TEST(Base64, IgnoresLeftOverBitsAsGoDoes) { EXPECT_EQ(base64_decode("Zh=="), "f"); }

TEST(Base64Url, HasItsOwnAlphabetAndNoPadding) {
  EXPECT_EQ(base64url_encode("\xFB\xFF"), "-_8");
  EXPECT_EQ(base64url_decode("-_8"), "\xFB\xFF");
  EXPECT_EQ(base64url_decode("-_8="), std::nullopt);
  EXPECT_EQ(base64url_decode("+/8"), std::nullopt);
  EXPECT_EQ(base64url_decode("abcde"), std::nullopt);
}

TEST(Hex, IsLowerCase) { EXPECT_EQ(hex_encode(std::string_view("\x00\x7f\xAB", 3)), "007fab"); }

TEST(Percent, DecodesEscapesAndRefusesBadOnes) {
  EXPECT_EQ(percent_decode("a%2Fb%2f%20", false), "a/b/ ");
  EXPECT_EQ(percent_decode("a+b", false), "a+b");
  EXPECT_EQ(percent_decode("a+b%2B", true), "a b+");
  EXPECT_EQ(percent_decode("%00", false), std::string(1, '\0'));
  for (const std::string_view bad : {"%", "%1", "%zz", "%1g", "a%2"}) {
    EXPECT_EQ(percent_decode(bad, false), std::nullopt) << bad;
  }
}

TEST(Percent, EncodesAllButTheUnreserved) {
  EXPECT_EQ(percent_encode("AZaz09-_.~"), "AZaz09-_.~");
  EXPECT_EQ(percent_encode("a b/ä+%"), "a%20b%2F%C3%A4%2B%25");
}

TEST(Utf8, IsValidExactlyWhenWellFormed) {
  const std::pair<const char*, std::string_view> good[] = {
      {"empty", ""},
      {"ASCII", "abc\x7F"},
      {"first of two bytes", "\xC2\x80"},
      {"first of three bytes", "\xE0\xA0\x80"},
      {"last before the surrogates", "\xED\x9F\xBF"},
      {"first after the surrogates", "\xEE\x80\x80"},
      {"first of four bytes", "\xF0\x90\x80\x80"},
      {"the last code point", "\xF4\x8F\xBF\xBF"},
  };
  for (const auto& [reason, bytes] : good) EXPECT_TRUE(is_valid_utf8(bytes)) << reason;
  const std::pair<const char*, std::string_view> bad[] = {
      {"continuation alone", "\x80"},
      {"cut short", "a\xE2\x82"},
      {"overlong in two bytes", "\xC1\xBF"},
      {"overlong in three bytes", "\xE0\x9F\xBF"},
      {"overlong in four bytes", "\xF0\x8F\xBF\xBF"},
      {"a surrogate", "\xED\xA0\x80"},
      {"above U+10FFFF", "\xF4\x90\x80\x80"},
      {"no lead byte", "\xF5\x80\x80\x80"},
      {"third byte is no continuation",
       "\xE2\x82"
       "a"},
  };
  for (const auto& [reason, bytes] : bad) EXPECT_FALSE(is_valid_utf8(bytes)) << reason;
}

TEST(Utf8, CountsCodePoints) {
  EXPECT_EQ(utf8_length(""), 0u);
  EXPECT_EQ(utf8_length("grün"), 4u);
  EXPECT_EQ(utf8_length("€\xF0\x9F\x98\x80"), 2u);
}

TEST(Nearest, SuggestsWhatWasProbablyMeant) {
  const std::vector<std::string_view> verbs = {"get", "create", "describe", "delete"};
  EXPECT_EQ(nearest("creat", verbs), "create");
  EXPECT_EQ(nearest("detele", verbs), "delete");
  EXPECT_EQ(nearest("got", verbs), "get");
  EXPECT_EQ(nearest("get", verbs), "get");
}

TEST(Nearest, SuggestsNothingFarFetched) {
  EXPECT_EQ(nearest("provision", {"get", "delete"}), "");
  EXPECT_EQ(nearest("ab", {"xy"}), "") << "no letter in common";
  EXPECT_EQ(nearest("x", {}), "");
}

TEST(Nearest, PrefersTheNearerAndThenTheFirst) {
  EXPECT_EQ(nearest("plan", {"plum", "plane"}), "plane");
  EXPECT_EQ(nearest("cat", {"car", "can"}), "car");
}

}  // namespace
}  // namespace chandler
