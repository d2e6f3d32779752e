#include "cel/property_name.h"

#include <gtest/gtest.h>

namespace chandler::cel {
namespace {

TEST(PropertyName, IsEscapedAndReadBack) {
  struct Row {
    std::string name;
    std::string reason;
    std::string escaped;
  };
  for (const auto& row : std::vector<Row>{{"replicas", "an identifier stays", "replicas"},
                                          {"namespace", "a word of the language", "__namespace__"},
                                          {"x-y", "a dash", "x__dash__y"},
                                          {"a.b/c", "dot and slash", "a__dot__b__slash__c"},
                                          {"a__b", "what escapes look like", "a__underscores__b"},
                                          {"a_b", "one underscore means nothing", "a_b"},
                                          {"for_", "only the whole word is reserved", "for_"}}) {
    EXPECT_EQ(escape_property(row.name), row.escaped) << row.reason;
    EXPECT_EQ(unescape_property(row.escaped), row.name) << row.reason;
  }
}

TEST(PropertyName, AWordWithoutAMeaningIsItself) {
  for (const auto* word : {"namespace", "for", "package"}) EXPECT_EQ(unescape_property(word), word);
}

TEST(PropertyName, OddNamesCannotBeSpelled) {
  for (const auto* name : {"", "1a", "a b", "ä", "a$", "a:b"}) EXPECT_FALSE(escape_property(name)) << name;
}

TEST(PropertyName, WhatNoPropertyIsEscapedToNamesNothing) {
  for (const auto* text : {"true", "a__b", "__x__", "in"}) EXPECT_FALSE(unescape_property(text)) << text;
}

}  // namespace
}  // namespace chandler::cel
