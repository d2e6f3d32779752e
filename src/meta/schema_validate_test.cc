#include <fmt/format.h>
#include <gtest/gtest.h>

#include "meta/schema_fixture.h"
#include "support/growth.h"

namespace chandler::meta {
namespace {

using Lines = std::vector<std::string>;

struct Row {
  const char* reason;
  const char* a;      // schema of spec.a
  const char* value;  // of spec.a
  Lines want;
};

TEST(Schema, ValuesAreCheckedAgainstEveryKeyword) {
  const std::vector<Row> rows = {
      {"type", R"({"type":"string"})", "1", {"spec.a FieldValueTypeInvalid"}},
      {"null is no string", R"({"type":"string"})", "null", {"spec.a FieldValueTypeInvalid"}},
      {"nullable", R"({"type":"string","nullable":true,"minLength":2,"enum":["xx"]})", "null", {}},
      {"integers are numbers", R"({"type":"number"})", "1", {}},
      {"1.0 is an integer", R"({"type":"integer"})", "1.0", {}},
      {"1.5 is none", R"({"type":"integer"})", "1.5", {"spec.a FieldValueTypeInvalid"}},
      {"int-or-string takes integers", R"({"x-kubernetes-int-or-string":true})", "5", {}},
      {"int-or-string takes strings", R"({"x-kubernetes-int-or-string":true})", "\"50%\"", {}},
      {"int-or-string takes nothing else",
       R"({"x-kubernetes-int-or-string":true})",
       "true",
       {"spec.a FieldValueTypeInvalid"}},
      {"int-or-string wins over type", R"({"type":"string","x-kubernetes-int-or-string":true})", "5", {}},
      {"free content", R"({"x-kubernetes-preserve-unknown-fields":true})", "[1,{}]", {}},
      {"enum", R"({"type":"string","enum":["a","b"]})", "\"c\"", {"spec.a FieldValueNotSupported"}},
      {"enum of numbers compares values", R"({"type":"number","enum":[1]})", "1.0", {}},
      {"wrong type and not in the enum",
       R"({"type":"string","enum":["a"]})",
       "1",
       {"spec.a FieldValueNotSupported", "spec.a FieldValueTypeInvalid"}},
      {"minimum", R"({"type":"integer","minimum":1})", "0", {"spec.a FieldValueInvalid"}},
      {"minimum is inclusive", R"({"type":"integer","minimum":1})", "1", {}},
      {"exclusive minimum",
       R"({"type":"integer","minimum":1,"exclusiveMinimum":true})",
       "1",
       {"spec.a FieldValueInvalid"}},
      {"maximum", R"({"type":"number","maximum":1.5})", "1.6", {"spec.a FieldValueInvalid"}},
      {"exclusive maximum",
       R"({"type":"integer","maximum":5,"exclusiveMaximum":true})",
       "5",
       {"spec.a FieldValueInvalid"}},
      {"large integers are compared exactly",
       R"({"type":"integer","maximum":9223372036854775806})",
       "9223372036854775807",
       {"spec.a FieldValueInvalid"}},
      {"multipleOf", R"({"type":"integer","multipleOf":3})", "7", {"spec.a FieldValueInvalid"}},
      {"multipleOf of fractions", R"({"type":"number","multipleOf":0.1})", "0.3", {}},
      {"int32", R"({"type":"integer","format":"int32"})", "2147483648", {"spec.a FieldValueInvalid"}},
      {"int64", R"({"type":"integer","format":"int64"})", "9223372036854775807", {}},
      {"minLength", R"({"type":"string","minLength":2})", "\"a\"", {"spec.a FieldValueInvalid"}},
      {"maxLength", R"({"type":"string","maxLength":3})", "\"abcd\"", {"spec.a FieldValueTooLong"}},
      {"lengths count characters", R"({"type":"string","maxLength":3,"minLength":3})", R"("\u017c\u00f3\u0142")", {}},
      {"pattern is not anchored", R"({"type":"string","pattern":"b+"})", "\"abc\"", {}},
      {"pattern", R"({"type":"string","pattern":"^b+$"})", "\"abc\"", {"spec.a FieldValueInvalid"}},
      {"format", R"({"type":"string","format":"ipv4"})", "\"x\"", {"spec.a FieldValueInvalid"}},
      {"unknown format", R"({"type":"string","format":"x"})", "\"x\"", {}},
      {"minItems", R"({"type":"array","items":{"type":"string"},"minItems":1})", "[]", {"spec.a FieldValueInvalid"}},
      {"maxItems",
       R"({"type":"array","items":{"type":"string"},"maxItems":1})",
       R"(["x","y"])",
       {"spec.a FieldValueTooMany"}},
      {"items",
       R"({"type":"array","items":{"type":"string"}})",
       R"(["x",1,null])",
       {"spec.a[1] FieldValueTypeInvalid", "spec.a[2] FieldValueTypeInvalid"}},
      {"set",
       R"({"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"})",
       R"(["x","y","x"])",
       {"spec.a[2] FieldValueDuplicate"}},
      {"map list",
       R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k","p"],"items":{"type":"object",
           "required":["k","p"],"properties":{"k":{"type":"string"},"p":{"type":"integer"},"v":{"type":"string"}}}})",
       R"([{"k":"x","p":1},{"k":"x","p":2},{"k":"x","p":1,"v":"z"}])",
       {"spec.a[2] FieldValueDuplicate"}},
      {"required",
       R"({"type":"object","required":["x"],"properties":{"x":{"type":"string"}}})",
       "{}",
       {"spec.a.x FieldValueRequired"}},
      {"members of a map",
       R"({"type":"object","additionalProperties":{"type":"string"}})",
       R"({"k":1})",
       {"spec.a.k FieldValueTypeInvalid"}},
      {"minProperties",
       R"({"type":"object","additionalProperties":{"type":"string"},"minProperties":1})",
       "{}",
       {"spec.a FieldValueInvalid"}},
      {"maxProperties",
       R"({"type":"object","additionalProperties":{"type":"string"},"maxProperties":1})",
       R"({"x":"","y":""})",
       {"spec.a FieldValueTooMany"}},
      {"oneOf, none",
       R"({"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}},"oneOf":[{"required":["x"]},{"required":["y"]}]})",
       "{}",
       {"<nil> FieldValueInvalid", "spec.a.x FieldValueRequired"}},
      {"oneOf, both",
       R"({"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}},"oneOf":[{"required":["x"]},{"required":["y"]}]})",
       R"({"x":"","y":""})",
       {"<nil> FieldValueInvalid"}},
      {"oneOf, one",
       R"({"type":"object","properties":{"x":{"type":"string"}},"oneOf":[{"required":["x"]},{"required":["y"]}]})",
       R"({"x":""})",
       {}},
      {"anyOf",
       R"({"type":"string","anyOf":[{"minLength":3},{"pattern":"^x"}]})",
       "\"y\"",
       {"<nil> FieldValueInvalid", "spec.a FieldValueInvalid"}},
      {"anyOf holds", R"({"type":"string","anyOf":[{"minLength":3},{"pattern":"^x"}]})", "\"x\"", {}},
      {"allOf",
       R"({"type":"string","allOf":[{"minLength":3},{"pattern":"^x"}]})",
       "\"x\"",
       {"<nil> FieldValueInvalid", "spec.a FieldValueInvalid"}},
      {"not", R"({"type":"string","not":{"enum":["x"]}})", "\"x\"", {"<nil> FieldValueInvalid"}},
      {"embedded resource",
       R"({"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true})",
       R"({"z":1,"metadata":{"labels":{"a b":""}}})",
       {"spec.a.apiVersion FieldValueRequired", "spec.a.kind FieldValueRequired",
        "spec.a.metadata.labels FieldValueInvalid"}},
  };
  for (const auto& row : rows) {
    const auto schema = compiled(with_a(row.a));
    EXPECT_EQ(faults(*schema, R"({"spec":{"a":)" + std::string(row.value) + "}}"), row.want) << row.reason;
  }
}

TEST(Schema, ARequiredFieldOfTheRootIsNamedBare) {
  const auto schema = compiled(R"({"type":"object","required":["spec"],"properties":{"spec":{"type":"object"}}})");
  EXPECT_EQ(faults(*schema, "{}"), Lines{"spec FieldValueRequired"});
}

TEST(Schema, UnchangedFaultsAreToleratedOnUpdate) {
  const auto schema = compiled(
      R"({"type":"object","properties":{"spec":{"type":"object","required":["r"],"properties":{
           "r":{"type":"string"},"a":{"type":"string","maxLength":2},"b":{"type":"string"},
           "l":{"type":"array","items":{"type":"string","maxLength":2}},
           "m":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{
             "type":"object","required":["k"],"properties":{"k":{"type":"string"},"v":{"type":"integer","maximum":3}}}}}}}})");
  struct Step {
    const char* reason;
    const char* old;
    const char* now;
    Lines want;
  };
  const std::vector<Step> steps = {
      {"unchanged", R"({"spec":{"a":"long"}})", R"({"spec":{"a":"long"}})", {}},
      {"another field changed",
       R"({"spec":{"r":"","a":"long","b":"x"}})",
       R"({"spec":{"r":"","a":"long","b":"y"}})",
       {}},
      {"it changed itself",
       R"({"spec":{"r":"","a":"long"}})",
       R"({"spec":{"r":"","a":"longer"}})",
       {"spec.a FieldValueTooLong"}},
      {"it is new", R"({"spec":{"r":""}})", R"({"spec":{"r":"","a":"long"}})", {"spec.a FieldValueTooLong"}},
      {"what lacks a field changed", R"({"spec":{"b":"x"}})", R"({"spec":{"b":"y"}})", {"spec.r FieldValueRequired"}},
      {"items by index", R"({"spec":{"r":"","l":["long"]}})", R"({"spec":{"r":"","l":["long","x"]}})", {}},
      {"items moved",
       R"({"spec":{"r":"","l":["long"]}})",
       R"({"spec":{"r":"","l":["x","long"]}})",
       {"spec.l[1] FieldValueTooLong"}},
      {"map items by key",
       R"({"spec":{"r":"","m":[{"k":"x","v":9}]}})",
       R"({"spec":{"r":"","m":[{"k":"y"},{"k":"x","v":9}]}})",
       {}},
      {"map item changed",
       R"({"spec":{"r":"","m":[{"k":"x","v":9}]}})",
       R"({"spec":{"r":"","m":[{"k":"x","v":8}]}})",
       {"spec.m[0].v FieldValueInvalid"}},
      {"a map item without its key is not found again",
       R"({"spec":{"r":"","m":[{"v":9}]}})",
       R"({"spec":{"r":"","m":[{"v":9},{"k":"x"}]}})",
       {"spec.m[0].k FieldValueRequired", "spec.m[0].v FieldValueInvalid"}},
  };
  for (const auto& step : steps) EXPECT_EQ(faults(*schema, step.now, step.old), step.want) << step.reason;
}

TEST(Schema, OneDocumentDoesNotGiveEndlessFaults) {
  const auto schema =
      compiled(with_a(R"({"type":"object","additionalProperties":{"type":"array","items":{"type":"string"}}})"));
  json::Array items;
  for (int i = 0; i < 1000; ++i) items.emplace_back(i);
  json::Object map;
  map[std::string(100'000, 'k')] = std::move(items);
  FieldErrors errors;
  validate(*schema, json::Value{{"spec", json::Value{{"a", std::move(map)}}}}, nullptr, Path(), errors);
  EXPECT_GE(errors.size(), 1U);
  EXPECT_LE(errors.size(), 80U) << "each repeats the beginning of the long name";
}

TEST(Schema, WhatEveryFaultWouldRepeatCountsToo) {
  std::string choices;
  for (int i = 0; i < 1000; ++i) choices += (i == 0 ? "\"c" : ",\"c") + std::to_string(i) + "\"";
  const auto schema = compiled(with_a(R"({"type":"array","items":{"type":"string","enum":[)" + choices + "]}}"));
  json::Array items;
  for (int i = 0; i < 10'000; ++i) items.emplace_back("x");
  FieldErrors errors;
  validate(*schema, json::Value{{"spec", json::Value{{"a", std::move(items)}}}}, nullptr, Path(), errors);
  size_t bytes = 0;
  for (const auto& cause : errors.causes()) bytes += cause.message.size();
  EXPECT_GE(errors.size(), 10U);
  EXPECT_LE(bytes, 300'000U) << "each fault lists all values that are supported";
}

std::string numbered(size_t n, std::string_view pattern) {
  std::string out;
  for (size_t i = 0; i < n; ++i) out += (i == 0 ? "" : ",") + fmt::format(fmt::runtime(pattern), i);
  return out;
}

TEST(Schema, ALongEnumerationMeansWhatAShortOneMeans) {
  const std::string values = R"(1,2.5,"1","text",true,null,[1],{"k":1})";
  for (const auto& more : {std::string(), "," + numbered(40, R"("v{0}",1{0}00)")}) {
    const auto schema =
        compiled(with_a(R"({"x-kubernetes-preserve-unknown-fields":true,"enum":[)" + values + more + "]}"));
    for (const char* value : {"1", "1.0", "2.5", R"("1")", R"("text")", "true", "[1]", R"({"k":1.0})"}) {
      EXPECT_EQ(faults(*schema, fmt::format(R"({{"spec":{{"a":{}}}}})", value)), Lines{}) << value;
    }
    for (const char* value : {"2", "2.0", R"("2")", R"("TEXT")", "false", "[]", R"({"k":2})"}) {
      EXPECT_EQ(faults(*schema, fmt::format(R"({{"spec":{{"a":{}}}}})", value)), Lines{"spec.a FieldValueNotSupported"})
          << value;
    }
  }
}

// The schema and the document grow together: what one asks of every part of the other must not multiply.
TEST(Schema, CostsTheSumOfSchemaAndDocument) {
  struct Case {
    const char* reason;
    const char* items;  // with a list of values
    const char* value;  // in that list
    const char* item;   // of the document
  };
  const Case cases[] = {
      {"texts of an enumeration", R"({{"type":"string","enum":[{}]}})", R"("value {0}")", R"("value {0}")"},
      {"other texts", R"({{"type":"string","enum":[{}]}})", R"("value {0}")", R"("other {0}")"},
      {"numbers of an enumeration", R"({{"type":"integer","enum":[{}]}})", "{0}", "{0}"},
  };
  for (const auto& test : cases) {
    EXPECT_TRUE(::chandler::testing::is_linear(12'000, [&](size_t size) -> ::chandler::testing::Growth::Work {
      const auto items = fmt::format(fmt::runtime(test.items), numbered(size, test.value));
      auto schema = compiled(with_a(R"({"type":"array","items":)" + items + "}"));
      auto value = doc(R"({"spec":{"a":[)" + numbered(size, test.item) + "]}}");
      return [schema, value = std::move(value)] {
        FieldErrors errors;
        validate(*schema, value, nullptr, Path(), errors);
        for (const auto& cause : errors.causes()) ASSERT_EQ(cause.reason, "FieldValueNotSupported");
      };
    })) << test.reason;
  }
}

TEST(Schema, TheFirstTypeMismatchOfABuiltInKindIsNamed) {
  CompileOptions options;
  options.allow_metadata = true;
  const auto schema = compiled(
      R"({"type":"object","properties":{"data":{"type":"object","additionalProperties":{"type":"string"}},
          "spec":{"type":"object","properties":{"replicas":{"type":"integer","format":"int32"},"when":{"type":"string","format":"micro-time"},
          "size":{"type":"string","format":"quantity"},"key":{"type":"string","format":"byte"},"color":{"type":"string","format":"hexcolor"},
          "port":{"x-kubernetes-int-or-string":true},"list":{"type":"array","items":{"type":"boolean"}}}}}})",
      options);
  struct Case {
    const char* value;
    const char* want;
  };
  const Case cases[] = {
      {R"({"data":{"x":1}})", "data.x: expected string, got integer"},
      {R"({"data":[]})", "data: expected map, got array"},
      {R"({"data":null,"spec":{"replicas":null}})", ""},
      {R"({"spec":{"replicas":"three"}})", "spec.replicas: expected integer, got string"},
      {R"({"spec":{"replicas":3000000000}})", "spec.replicas: expected a valid int32, got integer"},
      {R"({"spec":{"when":"yesterday"}})", "spec.when: expected a valid micro-time, got string"},
      {R"({"spec":{"size":"abc"}})", "spec.size: expected a valid quantity, got string"},
      {R"({"spec":{"size":5}})", ""},
      {R"({"spec":{"size":true}})", "spec.size: expected quantity, got boolean"},
      {R"({"spec":{"key":"%%%"}})", "spec.key: expected a valid byte, got string"},
      {R"({"spec":{"color":"%%%"}})", ""},
      {R"({"spec":{"port":1.5}})", "spec.port: expected integer or string, got number"},
      {R"({"spec":{"list":[true,"x"]}})", "spec.list[1]: expected boolean, got string"},
      {R"({"metadata":{"labels":{"a":1}}})", "metadata.labels.a: expected string, got integer"},
      {R"([])", "the object: expected object, got array"},
  };
  for (const auto& test : cases) EXPECT_EQ(first_type_mismatch(*schema, doc(test.value)), test.want) << test.value;
}

}  // namespace
}  // namespace chandler::meta
