#include "json/json_path_strict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/reader.h"
#include "support/growth.h"

namespace chandler::json {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(RenderStrict, RendersWhatIsThere) {
  const Value document = parse(R"({"host":"h","port":3306,"empty":[],"users":[{"n":"a"},{"n":"b"}]})").value();
  EXPECT_EQ(*render_strict("mysql://{.host}:{.port}", document, 100), "mysql://h:3306");
  EXPECT_EQ(*render_strict("{range .users[*]}{.n},{end}", document, 100), "a,b,");
  EXPECT_EQ(*render_strict("[{range .empty[*]}{.n}{end}]", document, 100), "[]") << "a range may be empty";
  EXPECT_EQ(*render_strict("text", document, 100), "text");
}

TEST(RenderStrict, APathToNothingIsAnErrorWithoutTheDocument) {
  const Value document = parse(R"({"host":"hunter2","users":[{"n":"a"},{}]})").value();
  for (std::string_view text : {"{.missing}", "{.host}:{.missing}", "{range .users[*]}{.n}{end}", "{.users[7].n}"}) {
    const auto rendered = render_strict(text, document, 100);
    ASSERT_FALSE(rendered.ok()) << text;
    EXPECT_THAT(rendered.error().message, HasSubstr("leads to nothing")) << text;
    EXPECT_THAT(rendered.error().message, Not(HasSubstr("hunter2"))) << text;
  }
  EXPECT_FALSE(render_strict("{.host", document, 100).ok());
}

TEST(RenderStrict, TheSizeIsBounded) {
  const Value document = parse(R"({"a":"0123456789"})").value();
  EXPECT_TRUE(render_strict("{.a}", document, 10).ok());
  EXPECT_FALSE(render_strict("{.a}", document, 9).ok());
  EXPECT_FALSE(render_strict("{..*}{..*}{..*}", document, 20).ok());
}

TEST(RenderStrict, TheWorkIsBounded) {
  Array list;
  for (int i = 0; i < 2000; ++i) list.push_back(Array{1});
  const Value document = Object{{"l", std::move(list)}};
  const auto rendered = render_strict("{range ..*}{range $..*}{end}{end}", document, 100);
  ASSERT_FALSE(rendered.ok());
  EXPECT_THAT(rendered.error().message, HasSubstr("too many values"));
}

std::string repeat(size_t count, std::string_view text) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += text;
  return out;
}

TEST(RenderStrict, PiecesWithoutTextAreBounded) {
  for (const std::string_view piece : {R"({""})", "{@}", "{range .x}{end}"}) {
    EXPECT_TRUE(testing::is_linear(20'000, [&](size_t size) -> testing::Growth::Work {
      const Value document = Object{{"a", Array(size, "")}};
      return [document, text = "{range .a[*]}" + repeat(size, piece) + "{end}"] {
        const auto rendered = render_strict(text, document, 1 << 20);
        ASSERT_FALSE(rendered.ok());
        EXPECT_THAT(rendered.error().message, HasSubstr("too many values"));
      };
    })) << piece;
  }
}

TEST(RenderStrict, EndsAtThePathThatLeadsNowhere) {
  const Value document = Object{{"a", Array(20'000)}};
  const auto rendered = render_strict("{.missing}{range .a[*]}" + repeat(200, R"({""})") + "{end}", document, 100);
  ASSERT_FALSE(rendered.ok());
  EXPECT_THAT(rendered.error().message, HasSubstr("leads to nothing"));
}

}  // namespace
}  // namespace chandler::json
