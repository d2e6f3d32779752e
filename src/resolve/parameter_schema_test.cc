#include "resolve/parameter_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/reader.h"

namespace chandler::resolve {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

json::Value doc(std::string_view text) { return json::parse(text).value(); }

struct Row {
  std::string_view name, reason, schema, value;
  std::string want;  // describe_faults
};

TEST(ValidateParameters, NamesEachFailingPathAndItsRule) {
  const Row rows[] = {
      {"null", "no schema", "null", R"({"a":1})", ""},
      {"empty", "anything goes", "{}", R"({"a":1})", ""},
      {"type", "types", R"({"properties":{"a":{"type":"integer"}}})", R"({"a":"hunter2"})",
       "parameters.a: must be of type integer: got string"},
      {"required", "what is missing", R"({"required":["a","b"]})", R"({"b":"hunter2"})", "parameters.a: is required"},
      {"closed", "unknown members", R"({"properties":{"a":{}},"additionalProperties":false})",
       R"({"a":1,"hidden":"hunter2"})", "parameters.hidden: is not a known property"},
      {"additional", "members of a type", R"({"additionalProperties":{"type":"boolean"}})", R"({"a":"hunter2"})",
       "parameters.a: must be of type boolean: got string"},
      {"enum", "one of these", R"({"properties":{"a":{"enum":["x","y"]}}})", R"({"a":"hunter2"})",
       R"(parameters.a: supported values: "x", "y")"},
      {"const", "exactly this", R"({"properties":{"a":{"const":1}}})", R"({"a":"hunter2"})",
       R"(parameters.a: supported values: "1")"},
      {"pattern", "a pattern", R"({"properties":{"a":{"pattern":"^[a-z]+$"}}})", R"({"a":"hunter2"})",
       "parameters.a: should match '^[a-z]+$'"},
      {"length", "lengths", R"({"properties":{"a":{"maxLength":3},"b":{"minLength":9}}})",
       R"({"a":"hunter2","b":"hunter2"})",
       "parameters.a: Too long: may not be more than 3 characters; parameters.b: should be at least 9 chars long"},
      {"draft-4-exclusive", "a boolean beside the bound",
       R"({"properties":{"a":{"minimum":1,"exclusiveMinimum":true}}})", R"({"a":1})",
       "parameters.a: should be greater than 1"},
      {"draft-6-exclusive", "the bound itself", R"({"properties":{"a":{"exclusiveMaximum":5}}})", R"({"a":5})",
       "parameters.a: should be less than 5"},
      {"ref", "local definitions",
       R"({"definitions":{"rule":{"type":"object","required":["name"]}},)"
       R"("properties":{"rules":{"type":"array","items":{"$ref":"#/definitions/rule"}}}})",
       R"({"rules":[{"name":"hunter2"},{}]})", "parameters.rules[1].name: is required"},
      {"recursive", "a definition may refer to itself",
       R"({"definitions":{"n":{"properties":{"next":{"$ref":"#/definitions/n"},"v":{"type":"integer"}}}},"$ref":"#/definitions/n"})",
       R"({"next":{"next":{"v":"hunter2"}}})", "parameters.next.next.v: must be of type integer: got string"},
      {"any-of", "at the value it is about",
       R"({"properties":{"a":{"anyOf":[{"type":"integer"},{"type":"boolean"}]}}})", R"({"a":"hunter2"})",
       "parameters.a: must validate at least one schema (anyOf); parameters.a: must be of type integer: got string"},
      {"one-of", "several fit", R"({"properties":{"a":{"oneOf":[{"type":"integer"},{"minimum":0}]}}})", R"({"a":7})",
       "parameters.a: must validate one and only one schema (oneOf), several are valid"},
      {"not", "must not fit", R"({"properties":{"a":{"not":{"type":"string"}}}})", R"({"a":"hunter2"})",
       "parameters.a: must not validate the schema (not)"},
      {"unique", "no item twice", R"({"properties":{"a":{"uniqueItems":true}}})", R"({"a":["hunter2","hunter2"]})",
       "parameters.a[1]: must not occur twice in the list"},
      {"dependencies", "one needs the other", R"({"dependencies":{"a":["b"]}})", R"({"a":"hunter2"})",
       "parameters.b: is required"},
      {"property-names", "names of members", R"({"propertyNames":{"pattern":"^[a-z]$"}})", R"({"A":"hunter2"})",
       "parameters.A: the name is not allowed"},
      {"false", "nothing is allowed", R"({"properties":{"a":false}})", R"({"a":"hunter2"})",
       "parameters.a: is not allowed here"},
      {"no parameters", "are none, not null", R"({"type":"object"})", "null", ""},
      {"no parameters, some needed", "what is missing is named", R"({"type":"object","required":["a"]})", "null",
       "parameters.a: is required"},
      {"several", "all of them", R"({"required":["z"],"properties":{"a":{"type":"integer"}}})", R"({"a":"hunter2"})",
       "parameters.z: is required; parameters.a: must be of type integer: got string"},
  };
  for (const Row& row : rows) {
    const ParameterCheck check = validate_parameters(doc(row.schema), doc(row.value));
    EXPECT_EQ(check.schema_unusable, "") << row.name << ": " << row.reason;
    EXPECT_EQ(describe_faults(check.faults), row.want) << row.name << ": " << row.reason;
    EXPECT_THAT(describe_faults(check.faults), Not(HasSubstr("hunter2"))) << row.name;
  }
}

struct UnusableRow {
  std::string_view name, reason, schema, word;
};

TEST(ValidateParameters, AFaultySchemaIsNotTheUsersFault) {
  const UnusableRow rows[] = {
      {"remote", "nothing is fetched", R"({"$ref":"http://example.com/s.json"})", "leads out of the document"},
      {"file", "nothing is read", R"({"properties":{"a":{"$ref":"other.json#/x"}}})", "leads out of the document"},
      {"dangling", "a definition that is missing", R"({"$ref":"#/definitions/x"})", "#/definitions/x"},
      {"circle", "a reference to itself", R"({"$ref":"#"})", "circles"},
      {"type", "an unknown type", R"({"type":"text"})", "is not a type"},
      {"pattern", "a pattern that RE2 does not take", R"x({"properties":{"a":{"pattern":"(?=x)"}}})x", "RE2"},
      {"list", "no schema at all", "[1]", "must be a schema"},
  };
  for (const UnusableRow& row : rows) {
    const ParameterCheck check = validate_parameters(doc(row.schema), doc(R"({"a":"x"})"));
    EXPECT_THAT(check.schema_unusable, HasSubstr(std::string(row.word))) << row.name << ": " << row.reason;
    EXPECT_TRUE(check.ok()) << row.name << ": " << row.reason;
  }
  std::string deep = "{}";
  for (int i = 0; i < 60; ++i) deep = R"({"not":)" + deep + "}";
  EXPECT_EQ(validate_parameters(doc(deep), doc("{}")).schema_unusable, "");
  for (int i = 0; i < 10; ++i) deep = R"({"not":)" + deep + "}";
  EXPECT_THAT(validate_parameters(doc(deep), doc("{}")).schema_unusable, HasSubstr("64 levels"));
}

TEST(ValidateParameters, FaultsAreBounded) {
  json::Object many;
  for (int i = 0; i < 200; ++i) many.emplace("k" + std::to_string(i), "v");
  const ParameterCheck check = validate_parameters(doc(R"({"additionalProperties":false})"), many);
  EXPECT_EQ(check.faults.size(), kMaxParameterFaults);
  EXPECT_THAT(describe_faults(check.faults), HasSubstr("; and 40 more"));
}

}  // namespace
}  // namespace chandler::resolve
