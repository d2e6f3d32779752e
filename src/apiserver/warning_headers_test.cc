#include "apiserver/warning_headers.h"

#include <gmock/gmock.h>

#include "base/text.h"

namespace chandler::apiserver {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;

std::vector<std::string> headers_of(const Warnings& warnings) {
  http::Headers headers;
  add_warnings(headers, warnings);
  std::vector<std::string> out;
  for (const auto value : headers.all("Warning")) out.emplace_back(value);
  return out;
}

Warnings many(size_t count, size_t length) {
  Warnings out;
  for (size_t i = 0; i < count; ++i) {
    auto text = std::to_string(i);
    out.push_back(text + std::string(length - text.size(), 'x'));
  }
  return out;
}

TEST(WarningHeaders, AreQuotedAndStandOnOneLine) {
  EXPECT_THAT(headers_of({R"(unknown field "a\b")"}), ElementsAre(R"(299 - "unknown field \"a\\b\"")"));
  EXPECT_THAT(headers_of({"two\r\nlines\x7f"}), ElementsAre(R"(299 - "two  lines ")"));
  EXPECT_THAT(headers_of({""}), ElementsAre());
}

TEST(WarningHeaders, OfTheSameTextAreOne) { EXPECT_THAT(headers_of({"a", "b", "a"}), SizeIs(2)); }

TEST(WarningHeaders, AreWholeUpTo4096CharactersTogether) {
  const auto headers = headers_of(many(2, 2048));
  ASSERT_THAT(headers, SizeIs(2));
  EXPECT_THAT(headers, Each(SizeIs(2048 + std::string_view(R"(299 - "")").size())));
}

TEST(WarningHeaders, AreCutTo256CharactersEachBeyondThat) {
  const auto headers = headers_of(many(3, 2000));
  ASSERT_THAT(headers, SizeIs(3));
  EXPECT_THAT(headers, Each(SizeIs(256 + std::string_view(R"(299 - "")").size())));
}

TEST(WarningHeaders, CountCharactersAndNotBytes) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "\u00e4";
  EXPECT_THAT(headers_of({text, text + "a"}), Each(SizeIs(::testing::Ge(4000))));
  const auto cut = headers_of({text, text + "a", text + "b"});
  for (const auto& header : cut) {
    EXPECT_EQ(header.size(), 2 * 256 + std::string_view(R"(299 - "")").size());
    EXPECT_TRUE(is_valid_utf8(header)) << "not cut inside a character";
  }
}

TEST(WarningHeaders, EndWhenTheirTextsAreFull) {
  const auto headers = headers_of(many(1000, 300));
  EXPECT_THAT(headers, SizeIs(17)) << "16 of 256 characters, and one that counts the rest";
  EXPECT_EQ(headers.back(), R"(299 - "and 984 more warnings")");
}

TEST(WarningHeaders, AreFewerThanClientsAccept) {
  EXPECT_THAT(headers_of(many(80, 10)), SizeIs(80));
  const auto headers = headers_of(many(100'000, 8));
  EXPECT_THAT(headers, SizeIs(80));
  EXPECT_EQ(headers.back(), R"(299 - "and 99921 more warnings")");
}

}  // namespace
}  // namespace chandler::apiserver
