#include "json/value.h"

#include <gtest/gtest.h>

#include "json/reader.h"

namespace chandler::json {
namespace {

Value doc(std::string_view text) { return parse(text).value(); }

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

}  // namespace
}  // namespace chandler::json
