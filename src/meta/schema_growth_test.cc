// Objects are checked against schemas in proportion to the size of both: what multiplies them is bounded.
#include <functional>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meta/schema_fixture.h"
#include "support/growth.h"

namespace chandler::meta {
namespace {

using testing::Growth;

// n pieces with commas between them, {0} being the number.
std::string numbered(size_t n, std::string_view pattern) {
  std::string out;
  for (size_t i = 0; i < n; ++i) out.append(i == 0 ? "" : ",").append(fmt::format(fmt::runtime(pattern), i));
  return out;
}

struct Row {
  const char* reason;
  size_t size;
  std::function<std::string(size_t)> schema;
  std::function<std::string(size_t)> value;
};

TEST(SchemaCost, WhatMultipliesSchemaAndObjectIsBounded) {
  const auto members = [](size_t n) { return "{" + numbered(n, R"("m{0}":{0})") + "}"; };
  const auto empty_objects = [](size_t n) { return "[" + numbered(n, "{{}}") + "]"; };
  const auto all_of = [](std::string_view branch) {
    return [=](size_t n) {
      return R"({"definitions":{"a":)" + std::string(branch) + R"(},"allOf":[)" +
             numbered(n, R"({{"$ref":"#/definitions/a"}})") + "]}";
    };
  };
  const Row rows[] = {
      {"each pattern may match each member", 2'000,
       [](size_t n) { return R"({"patternProperties":{)" + numbered(n, R"("^x{0}$":{{}})") + "}}"; }, members},
      {"each dependency may apply to each object", 4'000,
       [](size_t n) { return R"({"items":{"dependencies":{)" + numbered(n, R"("x{0}":["y"])") + "}}}"; },
       empty_objects},
      {"each dependency on a schema may apply to each object", 4'000,
       [](size_t n) { return R"({"items":{"dependencies":{)" + numbered(n, R"("x{0}":{{}})") + "}}}"; }, empty_objects},
      {"each branch looks at each member", 4'000, all_of(R"({"properties":{"x":{}}})"), members},
      {"each branch reads the whole text", 2'000, all_of(R"({"pattern":"x$"})"),
       [](size_t n) { return '"' + std::string(n * 100, 'x') + '"'; }},
      {"each branch writes every item", 2'000, all_of(R"({"uniqueItems":true})"),
       [](size_t n) { return "[" + numbered(n, "{0}") + "]"; }},
      {"each branch compares the whole list", 4'000, all_of(R"({"enum":[[0,0,0]]})"),
       [](size_t n) { return "[" + numbered(n, R"("text")") + "]"; }},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.reason);
    CompileOptions options;
    options.structural = false;
    const auto schema = compiled(row.schema(row.size), options);
    FieldErrors errors;
    validate(*schema, doc(row.value(row.size)), nullptr, Path(), errors);
    ASSERT_FALSE(errors.empty());
    EXPECT_THAT(errors.causes().back().message, ::testing::HasSubstr("costs too much to check"));
  }
}

TEST(SchemaCost, GrowsWithTheObjectThoughEachBranchRefusesIt) {
  EXPECT_TRUE(testing::is_linear(500, [](size_t size) -> Growth::Work {
    const auto schema = compiled(R"({"type":"object","x-kubernetes-preserve-unknown-fields":true,"allOf":[)" +
                                 numbered(size, R"({{"minProperties":1000000}})") + "]}");
    return [schema, value = doc("{" + numbered(size * 40, R"("m{0}":"some text")") + "}")] {
      FieldErrors errors;
      validate(*schema, value, nullptr, Path(), errors);
    };
  }));
}

}  // namespace
}  // namespace chandler::meta
