#include "json/reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace chandler::json {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::vector<std::string> duplicates(std::string_view text) {
  ReadReport report;
  EXPECT_TRUE(parse(text, {}, &report).ok()) << text;
  return report.duplicates;
}

TEST(Reader, KeepsIntegersOf64Bits) {
  const Value list =
      parse("[1,-9223372036854775808,9223372036854775807,9223372036854775808,18446744073709551615]").value();
  EXPECT_EQ(list.at(0).get_int64(), 1);
  EXPECT_EQ(list.at(1).get_int64(), INT64_MIN);
  EXPECT_EQ(list.at(2).get_int64(), INT64_MAX);
  EXPECT_EQ(list.at(3).get_uint64(), 9223372036854775808ULL);
  EXPECT_EQ(list.at(4).get_uint64(), UINT64_MAX);
}

TEST(Reader, ReadsOtherNumbersAsTheNearestDouble) {
  struct Row {
    std::string_view text;
    double want;
  };
  for (const Row& row :
       {Row{"1.0", 1.0}, Row{"1e2", 100.0}, Row{"18446744073709551616", 18446744073709551616.0},
        Row{"1.7976931348623157e308", 1.7976931348623157e308}, Row{"5e-324", 5e-324},
        Row{"9007199254740993.0", 9007199254740992.0}, Row{"0.1", 0.1},
        Row{"2.2250738585072011e-308", 2.2250738585072011e-308}, Row{"1e-400", 0.0}, Row{"-1.25e-3", -0.00125},
        Row{"123456789012345678901234567890", 123456789012345678901234567890.0}}) {
    const Value value = parse(row.text).value();
    ASSERT_TRUE(value.is_double()) << row.text;
    EXPECT_EQ(value.get_double(), row.want) << row.text;
  }
}

TEST(Reader, RefusesWhatIsNotJson) {
  struct Row {
    std::string_view name, reason, input, want;
  };
  for (const Row& row : {
           Row{"empty", "there must be a value", "", "end of JSON input"},
           Row{"blank", "there must be a value", "  \n", "end of JSON input"},
           Row{"open", "the object is not closed", R"({"a":1)", "end of JSON input"},
           Row{"garbage", "one value only", "{} x", "offset 3"},
           Row{"two", "one value only", "{}{}", "offset 2"},
           Row{"comma", "no comma before the end", "[1,]", "offset"},
           Row{"comment", "no comments", "/**/1", "offset 0"},
           Row{"single", "no single quotes", "{'a':1}", "offset"},
           Row{"nan", "no NaN", "NaN", "offset 0"},
           Row{"infinite", "a number must be finite", "[1e999]", "offset"},
           Row{"minus", "a number must be finite", "-1e400", "offset"},
           Row{"zero", "no leading zero", "01", "offset"},
           Row{"utf8", "invalid UTF-8", "\"\xff\"", "offset"},
           Row{"overlong", "invalid UTF-8", "\"\xc0\xaf\"", "offset"},
           Row{"cut", "a cut UTF-8 sequence", "\"\xe2\x82\"", "offset"},
           Row{"utf8-key", "invalid UTF-8 in a key", "{\"\xff\":1}", "offset"},
           Row{"surrogate", "half a surrogate pair", R"("\ud800")", "offset"},
           Row{"control", "raw control character", "\"\n\"", "offset"},
           Row{"nul", "text after a NUL", std::string_view("1\0", 2), "offset 1"},
       }) {
    const auto result = parse(row.input);
    ASSERT_FALSE(result.ok()) << row.name << ": " << row.reason;
    EXPECT_EQ(result.error().reason, Reason::kBadRequest) << row.name;
    EXPECT_THAT(result.error().message, HasSubstr(row.want)) << row.name << ": " << row.reason;
  }
}

TEST(Reader, BoundsTheDepth) {
  const auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(parse(nested(128)).ok());
  const auto refused = parse(nested(129));
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("deeper than 128"));
  EXPECT_TRUE(parse(nested(3), {.max_depth = 3}).ok());
  EXPECT_FALSE(parse(nested(4), {.max_depth = 3}).ok());
}

TEST(Reader, LastOfTwoEqualKeysWins) {
  const Value value = parse(R"({"a":1,"b":2,"a":3})").value();
  EXPECT_EQ(value.get_object().size(), 2U);
  EXPECT_EQ(value.at("a").get_int64(), 3);
}

TEST(Reader, NamesDuplicateKeysByPath) {
  EXPECT_THAT(duplicates(R"({"a":1,"b":{"a":2},"c":[{"a":3}]})"), IsEmpty());
  EXPECT_THAT(duplicates(R"({"data":{"a":"1","a":"2"}})"), ElementsAre("data.a"));
  EXPECT_THAT(duplicates(R"({"kind":"x","kind":"y"})"), ElementsAre("kind"));
  EXPECT_THAT(duplicates(R"({"spec":{"ports":[{"name":"a"},"x",[1],{"name":"a","name":"b"}]}})"),
              ElementsAre("spec.ports[3].name"));
  EXPECT_THAT(duplicates(R"([[{}],[{},{"x":{"y":1,"y":2}}]])"), ElementsAre("[1][1].x.y"));
  EXPECT_THAT(duplicates(R"({"a":1,"a":2,"a":3})"), ElementsAre("a"));
  EXPECT_THAT(duplicates(R"({"x":{"k":1,"k":2},"y":{"k":1,"k":2},"x":0})"), ElementsAre("x.k", "y.k", "x"));
}

TEST(Reader, SeesDuplicatesThroughEscapes) {
  EXPECT_THAT(duplicates(R"({"ab":1,"\u0061b":2})"), ElementsAre("ab"));
  EXPECT_THAT(duplicates(R"({"a\nb":1,"x\ty":2,"a\u000ab":3})"), ElementsAre("a\nb"));
  EXPECT_THAT(duplicates(R"({"":1,"":2})"), ElementsAre(""));
  EXPECT_THAT(duplicates(R"({"a\"b":{"c":1,"c":2}})"), ElementsAre("a\"b.c"));
}

TEST(Reader, SeesDuplicatesInLargeObjects) {
  std::string text = "{";
  for (int i = 0; i < 100'000; ++i) text += "\"key" + std::to_string(i) + "\":{\"v\":1},";
  text += R"("key7":1,"key99999":1,"key7":2,"last":{"d":1,"d":2}})";
  EXPECT_THAT(duplicates(text), UnorderedElementsAre("key7", "key99999", "last.d"));
}

TEST(Reader, ReportsOfDuplicatesAreOfBoundedLength) {
  std::string text = "{\"" + std::string(100'000, 'k') + "\":{\"a\":1";
  for (int i = 0; i < 1'000; ++i) text += fmt::format(R"(,"d{0}":1,"d{0}":2)", i);
  const auto found = duplicates(text + "}}");
  EXPECT_FALSE(found.empty());
  EXPECT_LE(found.size(), 4U) << "each repeats the long key";
}

TEST(Reader, BuildsInTheGivenStorage) {
  unsigned char memory[4096];
  boost::json::monotonic_resource arena(memory);
  ReadOptions options;
  options.storage = &arena;
  const Value value = parse(R"({"a":["a text that is too long for the small-string buffer"]})", options).value();
  EXPECT_EQ(value.storage().get(), &arena);
  EXPECT_EQ(value.at("a").at(0).storage().get(), &arena);
}

}  // namespace
}  // namespace chandler::json
