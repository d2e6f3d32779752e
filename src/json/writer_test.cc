#include "json/writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "json/reader.h"

namespace chandler::json {
namespace {

Value doc(std::string_view text) { return parse(text).value(); }

TEST(Writer, SortsKeysByBytes) {
  EXPECT_EQ(write(doc(R"({ "b": 1, "a": {"d": [], "c": {}}, "B": null, "é": true })")),
            R"({"B":null,"a":{"c":{},"d":[]},"b":1,"é":true})");
  std::string text = "{";
  std::string sorted = "{";
  for (int i = 99; i >= 10; --i) text += "\"k" + std::to_string(i) + "\":0,";
  for (int i = 10; i <= 99; ++i) sorted += "\"k" + std::to_string(i) + "\":0,";
  text.back() = sorted.back() = '}';
  EXPECT_EQ(write(doc(text)), sorted);
}

TEST(Writer, PrintsDoublesAsGoDoes) {
  struct Row {
    double number;
    std::string_view want;
  };
  for (const Row& row : {Row{1.0, "1"},
                         Row{0.0, "0"},
                         Row{-0.0, "0"},
                         Row{1.5, "1.5"},
                         Row{-2.25, "-2.25"},
                         Row{100.0, "100"},
                         Row{0.000001, "0.000001"},
                         Row{0.00000123, "0.00000123"},
                         Row{0.0000001, "1e-7"},
                         Row{1.25e-7, "1.25e-7"},
                         Row{-1.5e-9, "-1.5e-9"},
                         Row{1e-10, "1e-10"},
                         Row{1e20, "100000000000000000000"},
                         Row{123456789012345680000.0, "123456789012345680000"},
                         Row{1e21, "1e+21"},
                         Row{1.5e300, "1.5e+300"},
                         Row{5e-324, "5e-324"},
                         Row{1.7976931348623157e308, "1.7976931348623157e+308"},
                         Row{0.1, "0.1"},
                         Row{123456.789, "123456.789"},
                         Row{3.14159265358979, "3.14159265358979"},
                         Row{std::numeric_limits<double>::infinity(), "null"},
                         Row{std::nan(""), "null"}}) {
    EXPECT_EQ(write(Value(row.number)), row.want) << row.number;
  }
}

TEST(Writer, PrintsIntegersExactly) {
  EXPECT_EQ(write(doc("[-9223372036854775808,9223372036854775807,18446744073709551615]")),
            "[-9223372036854775808,9223372036854775807,18446744073709551615]");
}

TEST(Writer, EscapesOnlyWhatItMust) {
  struct Row {
    std::string_view name, reason, text, want;
  };
  for (const Row& row : {
           Row{"plain", "text as it is", "a<b>&/c", R"("a<b>&/c")"},
           Row{"quotes", "quote and backslash", "a\"b\\c", R"("a\"b\\c")"},
           Row{"named", "short escapes", "\b\f\n\r\t", R"("\b\f\n\r\t")"},
           Row{"control", "other control characters", std::string_view("\0\x1f", 2), R"("\u0000\u001f")"},
           Row{"delete", "DEL is allowed", "\x7f", "\"\x7f\""},
           Row{"utf8", "other languages", "größe 日本 😀", "\"größe 日本 😀\""},
           Row{"lines", "line separators",
               "a\xe2\x80\xa8\xe2\x80\xa9"
               "b",
               R"("a\u2028\u2029b")"},
           Row{"near", "neighbours of the line separators", "\xe2\x80\xa7\xe2\x82\xac", "\"\xe2\x80\xa7\xe2\x82\xac\""},
           Row{"late", "a special character after eight plain ones", "0123456789\n", R"("0123456789\n")"},
           Row{"cut", "bytes that end early", "\xe2\x80", "\"\xe2\x80\""},
       }) {
    std::string out;
    write_string(out, row.text);
    EXPECT_EQ(out, row.want) << row.name << ": " << row.reason;
  }
}

TEST(Writer, PrettyFormIsIndentedByTwo) {
  EXPECT_EQ(write_pretty(doc(R"({"b":[1,{"c":"x"},[]],"a":{},"e":[]})")), R"({
  "a": {},
  "b": [
    1,
    {
      "c": "x"
    },
    []
  ],
  "e": []
})");
  EXPECT_EQ(write_pretty(doc("null")), "null");
}

// Any document, small enough to look at when a property fails.
Value random_value(std::mt19937& random, int depth) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  switch (pick(depth > 0 ? 7 : 5)) {
    case 0:
      return Value(nullptr);
    case 1:
      return Value(pick(2) == 0);
    case 2:
      return Value(static_cast<int64_t>(random()) - 1'000'000'000);
    case 3:
      return Value(std::ldexp(static_cast<double>(random()), pick(200) - 100));
    case 4: {
      std::string text;
      for (int i = pick(12); i > 0; --i) text += static_cast<char>(pick(0x80));
      return Value(text);
    }
    case 5: {
      Array array;
      for (int i = pick(5); i > 0; --i) array.push_back(random_value(random, depth - 1));
      return Value(std::move(array));
    }
    default: {
      Object object;
      for (int i = pick(40); i > 0; --i) object["k" + std::to_string(pick(60))] = random_value(random, depth - 1);
      return Value(std::move(object));
    }
  }
}

TEST(Writer, EveryDocumentReadsBackAsItself) {
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    const Value value = random_value(random, 3);
    const std::string once = write(value);
    const auto again = parse(once);
    ASSERT_TRUE(again.ok()) << once;
    EXPECT_EQ(write(*again), once);
    EXPECT_EQ(write(parse(write_pretty(value)).value()), once);
  }
}

TEST(Writer, EqualDocumentsAreEqualBytes) {
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) {
    const Value value = random_value(random, 3);
    if (!value.is_object()) continue;
    std::vector<std::pair<std::string, Value>> members;
    for (const auto& member : value.get_object()) members.emplace_back(std::string(member.key()), member.value());
    std::shuffle(members.begin(), members.end(), random);
    Object shuffled;
    for (auto& [key, member] : members) shuffled[key] = std::move(member);
    EXPECT_TRUE(equal(value, Value(shuffled)));
    EXPECT_EQ(write(value), write(Value(shuffled)));
  }
}

TEST(Writer, OnePlaceMayBeWrittenAsTextThatIsThereAlready) {
  Value value{{"b", nullptr}, {"a", Object{{"b", nullptr}, {"c", 1}}}};
  std::string out;
  write_to(out, value, value.at("a").at("b"), R"([{"x":1}])");
  EXPECT_EQ(out, R"({"a":{"b":[{"x":1}],"c":1},"b":null})");
}

}  // namespace
}  // namespace chandler::json
