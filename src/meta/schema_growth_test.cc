// Objects are checked against schemas in proportion to the size of both: what multiplies them is bounded.
#include <functional>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meta/schema_fixture.h"
#include "support/colliding_texts.h"
#include "support/growth.h"
#include "support/slow_pattern.h"

namespace chandler::meta {
namespace {

using testing::Growth;
using testing::kSlowPattern;

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
  // So many members that they are found by their hash.
  const auto objects = [](size_t n) {
    const std::string object = "{" + numbered(19, R"("a{0}":0)") + "}";
    std::string out;
    for (size_t i = 0; i < n; ++i) out.append(i == 0 ? "" : ",").append(object);
    return "[" + out + "]";
  };
  const auto long_name = [](size_t n) { return std::string(n * 50, 'x'); };
  const auto all_of = [](std::string_view branch) {
    return [=](size_t n) {
      return R"({"definitions":{"a":)" + std::string(branch) + R"(},"allOf":[)" +
             numbered(n, R"({{"$ref":"#/definitions/a"}})") + "]}";
    };
  };
  const Row rows[] = {
      {"each pattern may match each member", 1'200,
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
      {"each value of an enumeration may equal each item", 12'000,
       [](size_t n) { return R"({"items":{"enum":[)" + numbered(n, R"("v{0}")") + "]}}"; },
       [](size_t n) { return "[" + numbered(n, "true") + "]"; }},
      {"each required member is looked up in each object", 12'000,
       [](size_t n) { return R"({"items":{"required":[)" + numbered(n, R"("m{0}")") + "]}}"; }, empty_objects},
      {"a long name is hashed for each object", 4'000,
       [=](size_t n) { return R"({"items":{"required":[")" + long_name(n) + R"("]}})"; }, objects},
      {"a long name of a dependency is hashed for each object", 4'000,
       [=](size_t n) { return R"({"items":{"dependencies":{")" + long_name(n) + R"(":["y"]}}})"; }, objects},
      {"a long name of a dependency on a schema is hashed for each object", 4'000,
       [=](size_t n) { return R"({"items":{"dependencies":{")" + long_name(n) + R"(":{}}}})"; }, objects},
      {"a long name that a dependency demands is hashed for each object", 4'000,
       [=](size_t n) { return R"({"items":{"dependencies":{"a0":[")" + long_name(n) + R"("]}}})"; }, objects},
      {"a pattern that counts is slow for each character", 70'000,
       [=](size_t) { return fmt::format(R"({{"pattern":"{}"}})", kSlowPattern); },
       [](size_t n) { return '"' + testing::coin_tosses(n) + '"'; }},
      {"a pattern that counts is slow for each character of a name", 70'000,
       [=](size_t) { return fmt::format(R"({{"patternProperties":{{"{}":{{}}}}}})", kSlowPattern); },
       [](size_t n) { return R"({")" + testing::coin_tosses(n) + R"(":1})"; }},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.reason);
    CompileOptions options;
    options.structural = false;
    const auto schema = compiled(row.schema(row.size), options);
    FieldErrors errors;
    validate(*schema, doc(row.value(row.size)), nullptr, Path(), errors);
    EXPECT_THAT(errors.empty() ? "" : errors.causes().back().message, ::testing::HasSubstr("costs too much to check"));
  }
}

struct GrowthRow {
  const char* reason;
  size_t largest;
  std::function<Growth::Work(size_t)> prepare;
};

Growth::Work validating(const SchemaPtr& schema, const json::Value& value) {
  return [schema, value] {
    FieldErrors errors;
    validate(*schema, value, nullptr, Path(), errors);
    EXPECT_TRUE(errors.empty());
  };
}

// All of the old object is faulty and stays as it is.
Growth::Work ratcheting(const SchemaPtr& schema, const json::Value& value) {
  return [schema, value] {
    FieldErrors errors;
    validate(*schema, value, &value, Path(), errors);
    EXPECT_TRUE(errors.empty());
  };
}

// n pieces with a text in each: the texts have one hash where they stand between `before` and `after`.
std::string colliding(size_t n, std::string_view before, std::string_view after, std::string_view pattern) {
  std::string out;
  for (const auto& text : testing::texts_of_one_hash(n, before, after.size())) {
    out.append(out.empty() ? "" : ",").append(fmt::format(fmt::runtime(pattern), text));
  }
  return out;
}

TEST(SchemaCost, GrowsWithTheObject) {
  const auto map_list = [](std::string_view members) {
    return compiled(with_a(fmt::format(
        R"({{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{{"type":"object",
            "required":["k"],"properties":{{"k":{{"type":"string"}},{}}}}}}})",
        members)));
  };
  const auto list = [](const std::string& items) { return doc(R"({"spec":{"a":[)" + items + "]}}"); };
  const GrowthRow rows[] = {
      {"a set of texts with one hash", 16'000,
       [&](size_t n) {
         const auto schema =
             compiled(with_a(R"({"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}})"));
         return validating(schema, list(colliding(n, "\"", "\"", R"("{}")")));
       }},
      {"a list of different texts with one hash", 16'000,
       [&](size_t n) {
         CompileOptions options;
         options.structural = false;
         return validating(compiled(R"({"uniqueItems":true})", options),
                           doc("[" + colliding(n, "\"", "\"", R"("{}")") + "]"));
       }},
      {"a map list whose keys have one hash", 16'000,
       [&](size_t n) {
         return validating(map_list(R"("v":{"type":"integer"})"), list(colliding(n, "[\"", "\"]", R"({{"k":"{}"}})")));
       }},
      {"faulty items of an old map list whose keys have one hash", 16'000,
       [&](size_t n) {
         return ratcheting(map_list(R"("v":{"type":"integer"})"),
                           list(colliding(n, "[\"", "\"]", R"({{"k":"{}","v":"x"}})")));
       }},
      {"faulty members below a long key", 4'000,
       [&](size_t n) {
         return ratcheting(
             map_list(R"("v":{"type":"object","additionalProperties":{"type":"integer"}})"),
             list(fmt::format(R"({{"k":"{}","v":{{{}}}}})", std::string(n * 15, 'k'), numbered(n, R"("m{0}":"x")"))));
       }},
      {"keys of a list", 8'000,
       [&](size_t n) -> Growth::Work {
         auto schema = doc(with_a(R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":[)" +
                                  numbered(n, R"("k{0}")") + R"(],"items":{"type":"object","required":[)" +
                                  numbered(n, R"("k{0}")") + R"(],"properties":{)" +
                                  numbered(n, R"("k{0}":{{"type":"string"}})") + "}}}"));
         return [schema = std::move(schema)] {
           FieldErrors errors;
           EXPECT_NE(compile_schema(schema, Path("s"), {}, errors), nullptr);
         };
       }},
  };
  for (const auto& row : rows) EXPECT_TRUE(testing::is_linear(row.largest, row.prepare)) << row.reason;
}

TEST(SchemaCost, OfEnumeratedTextsIsThatOfTheList) {
  for (const size_t values : {1U, 8U, 16U, 17U}) {
    const auto schema = compiled(
        with_a(R"({"type":"array","items":{"type":"string","enum":[)" + numbered(values, R"("v{0}")") + "]}}"));
    json::Array items(700'000, json::Value("v0"));  // 3.5 MB
    FieldErrors errors;
    validate(*schema, json::Value{{"spec", json::Value{{"a", std::move(items)}}}}, nullptr, Path(), errors);
    EXPECT_TRUE(errors.empty()) << values << ": " << ::testing::PrintToString(lines(errors));
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
