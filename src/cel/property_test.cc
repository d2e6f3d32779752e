// Expressions and values made at random, from fixed seeds: nothing crashes, what is printed is read back, and no
// evaluation spends more than was estimated.
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cel/cel_fixture.h"

namespace chandler::cel {
namespace {

using testing::document;
using testing::evaluated;
using testing::World;

constexpr std::string_view kRandomSchema = R"({"type": "object", "properties": {
  "s": {"type": "string", "maxLength": 12}, "n": {"type": "integer"}, "d": {"type": "number"}, "b": {"type": "boolean"},
  "l": {"type": "array", "maxItems": 6, "items": {"type": "string", "maxLength": 8}},
  "i": {"type": "array", "maxItems": 6, "items": {"type": "integer"}},
  "m": {"type": "object", "maxProperties": 4, "additionalProperties": {"type": "integer"}},
  "t": {"type": "string", "format": "date-time"}, "w": {"type": "string", "format": "duration"}}})";

class Source {
 public:
  explicit Source(uint32_t seed) : random_(seed) {}

  std::string expression(int depth) {
    const auto sub = [&] { return expression(depth - 1); };
    switch (depth <= 0 ? pick(8) : pick(26)) {
      case 0:
        return one_of({"self.s", "self.n", "self.d", "self.b"});
      case 1:
        return one_of({"self.l", "self.i", "self.m", "self.t", "self.w"});
      case 2:
        return one_of({"1", "-3", "2u", "1.5", "0"});
      case 3:
        return one_of({"'a'", "''", "b'x'", "'%s'"});
      case 4:
        return one_of({"true", "false", "null"});
      case 5:
        return one_of({"[]", "[1, 2]", "['a', 'b']", "{'a': 1}"});
      case 6:
        return one_of({"x", "self", "self.zz"});
      case 7:
        return one_of({"duration('1s')", "timestamp('2024-01-01T00:00:00Z')", "self.?s", "dyn(self.n)"});
      case 8:
      case 9:
      case 10:
        return "(" + sub() + one_of({" + ", " - ", " * ", " / ", " % "}) + sub() + ")";
      case 11:
      case 12:
      case 13:
        return "(" + sub() + one_of({" == ", " != ", " < ", " >= ", " in "}) + sub() + ")";
      case 14:
        return "(" + sub() + one_of({" && ", " || "}) + sub() + ")";
      case 15:
        return one_of({"!", "-"}) + sub();
      case 16:
        return "(" + sub() + " ? " + sub() + " : " + sub() + ")";
      case 17:
      case 18:
        return sub() + one_of({".all", ".exists", ".map", ".filter", ".exists_one"}) + "(x, " + sub() + ")";
      case 19:
        return sub() + "[" + sub() + "]";
      case 20:
        return one_of({"size", "string", "int", "double", "type", "dyn", "bytes"}) + "(" + sub() + ")";
      case 21:
        return sub() + one_of({".contains", ".split", ".matches", ".indexOf", ".startsWith"}) + "(" + sub() + ")";
      case 22:
        return sub() + one_of({".size()", ".trim()", ".min()", ".sum()", ".isSorted()", ".upperAscii()", ".join()"});
      case 23:
        return sub() + ".replace(" + sub() + ", " + sub() + ")";
      case 24:
        return sub() + ".substring(" + sub() + ")";
      default:
        return "'%s %d'.format([" + sub() + ", " + sub() + "])";
    }
  }

  // JSON that need not fit the schema at all.
  std::string value(int depth) {
    switch (pick(depth <= 0 ? 6 : 8)) {
      case 0:
        return one_of({"null", "true", "false"});
      case 1:
        return one_of({"0", "-1", "9223372036854775807", "18446744073709551615"});
      case 2:
        return one_of({"1.5", "-1e300", "2.0"});
      case 3:
        return one_of({R"("")", R"("a")", R"("ä€")", R"("2024-02-30T00:00:00Z")"});
      case 4:
        return one_of({R"("1h")", R"("2024-01-01T00:00:00Z")", R"("aGk=")"});
      case 5:
        return one_of({"[]", "{}"});
      case 6:
        return "[" + value(depth - 1) + "," + value(depth - 1) + "]";
      default: {
        std::string out = "{";
        for (const char* name : {"s", "n", "d", "b", "l", "i", "m", "t", "w"}) {
          if (pick(3) != 0) out += (out.size() > 1 ? ",\"" : "\"") + std::string(name) + "\":" + value(depth - 1);
        }
        return out + "}";
      }
    }
  }

  std::string fitting_value() {
    return fmt::format(
        R"({{"s": "{}", "n": {}, "d": {}.5, "b": {}, "l": ["a", "bb", "{}"], "i": [{}, 2, 3], "m": {{"a": 1, "b": {}}},
            "t": "2024-01-01T00:00:00Z", "w": "1h"}})",
        one_of({"", "a", "abcabcabcabc"}), pick(100), pick(9), one_of({"true", "false"}), one_of({"a", "%s", ""}),
        pick(5), pick(9));
  }

 private:
  size_t pick(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }
  std::string one_of(const std::vector<std::string>& choices) { return choices[pick(choices.size())]; }
  std::mt19937 random_;
};

TEST(CelProperty, WhatIsPrintedIsReadBack) {
  Source source(1);
  for (int i = 0; i < 3000; ++i) {
    const auto text = source.expression(4);
    const auto parsed = parse(text);
    if (!parsed.ok()) continue;
    const auto printed = print(**parsed);
    const auto again = parse(printed);
    ASSERT_TRUE(again.ok()) << text << " was printed as " << printed << ": " << again.error().message;
    ASSERT_EQ(print(**again), printed) << text;
  }
}

TEST(CelProperty, NoValueMakesAnEvaluationCrash) {
  Source source(2);
  World world(kRandomSchema, "{}");
  int ran = 0;
  for (int i = 0; i < 6000; ++i) {
    world.value = document(source.value(3));
    const auto result = evaluated(source.expression(3), world);
    if (!result.starts_with("compile: ")) ++ran;
  }
  EXPECT_GT(ran, 500) << "the expressions are good enough to be evaluated";
}

TEST(CelProperty, NoEvaluationSpendsMoreThanEstimated) {
  Source source(3);
  World world(kRandomSchema, "{}");
  int ran = 0;
  for (int i = 0; i < 6000; ++i) {
    world.value = document(source.fitting_value());
    const auto text = source.expression(3);
    uint64_t estimate = 0;
    uint64_t spent = 0;
    const auto result = evaluated(text, world, uint64_t{1} << 40, &estimate, &spent);
    if (result.starts_with("compile: ")) continue;
    ++ran;
    ASSERT_LE(spent, estimate) << text;
  }
  EXPECT_GT(ran, 500);
}

TEST(CelProperty, NoBudgetIsExceeded) {
  Source source(4);
  World world(kRandomSchema, "{}");
  for (int i = 0; i < 3000; ++i) {
    world.value = document(source.fitting_value());
    uint64_t spent = 0;
    const uint64_t budget = static_cast<uint64_t>(i % 50);
    (void)evaluated(source.expression(4), world, budget, nullptr, &spent);
    ASSERT_LE(spent, budget);
  }
}

}  // namespace
}  // namespace chandler::cel
