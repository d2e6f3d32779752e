#include "json/value.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "json/reader.h"
#include "support/growth.h"

namespace chandler::json {
namespace {

Value doc(std::string_view text) { return parse(text).value(); }

size_t size_of(const Value& value) { return value.to_number<size_t>(); }

TEST(Value, FindsMembersOfObjectsOnly) {
  const Value value = doc(R"({"spec":{"names":{"plural":"widgets"}},"n":1})");
  EXPECT_EQ(find(value, "none"), nullptr);
  EXPECT_EQ(find(*find(value, "n"), "spec"), nullptr);
  ASSERT_NE(find_path(value, {"spec", "names", "plural"}), nullptr);
  EXPECT_EQ(find_path(value, {"spec", "none", "plural"}), nullptr);
  EXPECT_EQ(find_path(value, {"n", "x"}), nullptr);
}

TEST(Value, MembersOfAnotherTypeAreAbsent) {
  const Value value = doc(R"({"s":"x","i":7,"b":true,"o":{},"a":[],"d":1.5})");
  EXPECT_EQ(string_at(value, "s"), "x");
  EXPECT_EQ(string_at(value, "i"), std::nullopt);
  EXPECT_EQ(int_at(value, "i"), 7);
  EXPECT_EQ(int_at(value, "d"), std::nullopt);
  EXPECT_EQ(bool_at(value, "b"), true);
  EXPECT_EQ(bool_at(value, "s"), std::nullopt);
  EXPECT_NE(object_at(value, "o"), nullptr);
  EXPECT_EQ(object_at(value, "a"), nullptr);
  EXPECT_NE(array_at(value, "a"), nullptr);
  EXPECT_EQ(array_at(value, "none"), nullptr);
  EXPECT_EQ(string_or(value, "none", "y"), "y");
}

TEST(Value, EqualityFollowsJson) {
  struct Row {
    std::string_view name, reason, a, b;
    bool want;
  };
  for (const Row& row : {
           Row{"int-double", "numbers compare by value", "1", "1.0", true},
           Row{"int-fraction", "no truncation", "1", "1.5", false},
           Row{"order", "objects have no order", R"({"a":1,"b":[2]})", R"({"b":[2],"a":1})", true},
           Row{"lists", "lists have an order", "[1,2]", "[2,1]", false},
           Row{"missing", "null is not absence", R"({"a":null})", "{}", false},
           Row{"large", "no rounding through double", "9007199254740993", "9007199254740992.0", false},
           Row{"unsigned", "64 bits unsigned", "18446744073709551615", "18446744073709551615", true},
           Row{"sign", "no wrap-around", "-1", "18446744073709551615", false},
           Row{"unsigned-double", "2^64 is no 64-bit integer", "18446744073709551615", "18446744073709551616", false},
           Row{"null-false", "null is no boolean", "null", "false", false},
           Row{"string-number", "a string is no number", "\"1\"", "1", false},
       }) {
    EXPECT_EQ(equal(doc(row.a), doc(row.b)), row.want) << row.name << ": " << row.reason;
    EXPECT_EQ(equal(doc(row.b), doc(row.a)), row.want) << row.name << " (swapped): " << row.reason;
  }
}

TEST(Value, TypeNamesAreThoseOfSchemas) {
  const Value list = doc(R"([{}, [], "s", 1, 18446744073709551615, 1.5, true, null])");
  std::vector<std::string_view> names;
  for (const Value& value : list.get_array()) names.push_back(type_name(value));
  EXPECT_EQ(names, (std::vector<std::string_view>{"object", "array", "string", "integer", "integer", "number",
                                                  "boolean", "null"}));
}

TEST(Value, ErasingMembersKeepsTheOrderOfTheOthersAndAsksOnceForEach) {
  struct Row {
    std::string reason;
    size_t members;
    size_t every;  // of how many one goes
  };
  const std::vector<Row> rows = {
      {"none goes", 5, 100},      {"a few go, one by one", 20, 5}, {"many go: the rest is collected", 200, 3},
      {"nearly all go", 1000, 1}, {"an empty object", 0, 1},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.reason);
    Object object;
    std::vector<std::string> expected;
    for (size_t i = 0; i < row.members; ++i) {
      object.emplace("k" + std::to_string(i), i);
      if (i % row.every != row.every - 1) expected.push_back("k" + std::to_string(i));
    }
    std::vector<std::string> asked;
    erase_members(object, [&](const auto& member) {
      asked.emplace_back(member.key());
      return size_of(member.value()) % row.every == row.every - 1;
    });
    ASSERT_EQ(asked.size(), row.members);
    for (size_t i = 0; i < asked.size(); ++i) EXPECT_EQ(asked[i], "k" + std::to_string(i));
    std::vector<std::string> left;
    for (const auto& member : object) left.emplace_back(member.key());
    EXPECT_EQ(left, expected);
    for (const auto& key : expected) EXPECT_EQ("k" + std::to_string(size_of(object.at(key))), key);
  }
}

TEST(Value, ErasingMembersTakesTimeInProportion) {
  EXPECT_TRUE(testing::is_linear(40'000, [](size_t n) -> testing::Growth::Work {
    Object object;
    for (size_t i = 0; i < n; ++i) object.emplace("k" + std::to_string(i), i);
    return [object] {
      Object copy = object;
      erase_members(copy, [](const auto& member) { return size_of(member.value()) % 2 == 0; });
    };
  }));
}

}  // namespace
}  // namespace chandler::json
