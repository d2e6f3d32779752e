#include <fmt/format.h>
#include <gtest/gtest.h>

#include "meta/schema_fixture.h"
#include "support/growth.h"

namespace chandler::meta {
namespace {

using Lines = std::vector<std::string>;

Lines faults_of(const std::string& schema) {
  FieldErrors errors;
  const auto compiled_schema = compile_schema(doc(schema), Path("s"), {}, errors);
  EXPECT_EQ(compiled_schema == nullptr, !errors.empty());
  return lines(errors);
}

TEST(StructuralSchema, FaultsOfAPropertyAreReportedWhereTheApiReportsThem) {
  struct Row {
    const char* reason;
    const char* a;
    Lines want;  // below s.properties[spec].properties[a]
  };
  const std::vector<Row> rows = {
      {"fine", R"({"type":"string"})", {}},
      {"type is needed", "{}", {".type FieldValueRequired"}},
      {"types are known", R"({"type":"strnig"})", {".type FieldValueNotSupported"}},
      {"null is no type", R"({"type":"null"})", {".type FieldValueForbidden"}},
      {"free content needs no type", R"({"x-kubernetes-preserve-unknown-fields":true})", {}},
      {"preserve is true or absent",
       R"({"type":"object","x-kubernetes-preserve-unknown-fields":false})",
       {".x-kubernetes-preserve-unknown-fields FieldValueInvalid"}},
      {"int-or-string needs no type", R"({"x-kubernetes-int-or-string":true})", {}},
      {"int-or-string beside a type", R"({"type":"string","x-kubernetes-int-or-string":true})", {}},
      {"int-or-string spelt out",
       R"({"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]})",
       {}},
      {"int-or-string spelt out in allOf",
       R"({"x-kubernetes-int-or-string":true,"allOf":[{"anyOf":[{"type":"integer"},{"type":"string"}]},{"pattern":"x"}]})",
       {}},
      {"types elsewhere in anyOf",
       R"({"type":"string","anyOf":[{"type":"string"}]})",
       {".anyOf[0].type FieldValueForbidden"}},
      {"maps and structs differ",
       R"({"type":"object","properties":{"b":{"type":"string"}},"additionalProperties":{"type":"string"}})",
       {".additionalProperties FieldValueForbidden"}},
      {"unknown fields are pruned, not refused",
       R"({"type":"object","additionalProperties":false})",
       {".additionalProperties FieldValueForbidden"}},
      {"members of a map need a type",
       R"({"type":"object","additionalProperties":{}})",
       {".additionalProperties.type FieldValueRequired"}},
      {"lists need items", R"({"type":"array"})", {".items FieldValueRequired"}},
      {"items are a schema", R"({"type":"array","items":[{"type":"string"}]})", {".items FieldValueForbidden"}},
      {"items need a type", R"({"type":"array","items":{}})", {".items.type FieldValueRequired"}},
      {"uniqueItems costs too much",
       R"({"type":"array","items":{"type":"string"},"uniqueItems":true})",
       {".uniqueItems FieldValueForbidden"}},
      {"pattern must compile", R"({"type":"string","pattern":"("})", {".pattern FieldValueInvalid"}},
      {"no references", R"({"type":"string","$ref":"#/x"})", {".$ref FieldValueForbidden"}},
      {"no definitions", R"({"type":"object","definitions":{}})", {".definitions FieldValueForbidden"}},
      {"keywords have types",
       R"({"type":"string","maxLength":"3","enum":{},"nullable":1})",
       {".enum FieldValueTypeInvalid", ".maxLength FieldValueTypeInvalid", ".nullable FieldValueTypeInvalid"}},
      {"counts are whole", R"({"type":"string","maxLength":-1})", {".maxLength FieldValueTypeInvalid"}},
      {"multipleOf is positive", R"({"type":"integer","multipleOf":0})", {".multipleOf FieldValueInvalid"}},
      {"map lists need keys",
       R"({"type":"array","x-kubernetes-list-type":"map","items":{"type":"object","properties":{"k":{"type":"string"}}}})",
       {".x-kubernetes-list-map-keys FieldValueRequired"}},
      {"keys are required or defaulted",
       R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","properties":{"k":{"type":"string"}}}})",
       {".items.properties[k].default FieldValueRequired"}},
      {"keys are properties",
       R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object"}})",
       {".x-kubernetes-list-map-keys[0] FieldValueInvalid"}},
      {"keys are scalars",
       R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k","k"],"items":{"type":"object","required":["k"],"properties":{"k":{"type":"object","nullable":true}}}})",
       {".items.properties[k].nullable FieldValueForbidden", ".items.properties[k].nullable FieldValueForbidden",
        ".items.properties[k].type FieldValueInvalid", ".items.properties[k].type FieldValueInvalid",
        ".x-kubernetes-list-map-keys[1] FieldValueDuplicate"}},
      {"keys are for map lists",
       R"({"type":"array","x-kubernetes-list-map-keys":["k"],"items":{"type":"string"}})",
       {".x-kubernetes-list-type FieldValueRequired"}},
      {"list types are known",
       R"({"type":"array","x-kubernetes-list-type":"bag","items":{"type":"string"}})",
       {".x-kubernetes-list-type FieldValueNotSupported"}},
      {"list types are for lists",
       R"({"type":"object","x-kubernetes-list-type":"atomic"})",
       {".type FieldValueInvalid"}},
      {"map types are for maps", R"({"type":"string","x-kubernetes-map-type":"atomic"})", {".type FieldValueInvalid"}},
      {"map types are known",
       R"({"type":"object","x-kubernetes-map-type":"x"})",
       {".x-kubernetes-map-type FieldValueNotSupported"}},
      {"sets of objects are atomic",
       R"({"type":"array","x-kubernetes-list-type":"set","items":{"type":"object","properties":{"k":{"type":"string"}}}})",
       {".items.x-kubernetes-map-type FieldValueInvalid"}},
      {"sets of nullable",
       R"({"type":"array","x-kubernetes-list-type":"set","items":{"type":"string","nullable":true}})",
       {".items.nullable FieldValueForbidden"}},
      {"embedded resources are objects",
       R"({"type":"string","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true})",
       {".type FieldValueInvalid"}},
      {"embedded resources say what they hold",
       R"({"type":"object","x-kubernetes-embedded-resource":true})",
       {".properties FieldValueRequired"}},
      {"no structure in compositions",
       R"({"type":"object","properties":{"x":{"type":"string"}},"oneOf":[{"properties":{"x":{"default":"y"}},"nullable":true}],
           "not":{"description":"d"}})",
       {".not.description FieldValueForbidden", ".oneOf[0].nullable FieldValueForbidden",
        ".oneOf[0].properties[x].default FieldValueForbidden"}},
      {"compositions name known fields",
       R"({"type":"object","anyOf":[{"properties":{"x":{"minLength":1}}}]})",
       {".properties[x] FieldValueRequired"}},
      {"default of another type", R"({"type":"integer","default":"x"})", {".default FieldValueTypeInvalid"}},
      {"default with unknown fields",
       R"({"type":"object","properties":{},"default":{"zz":1}})",
       {".default FieldValueInvalid"}},
      {"default inside a default",
       R"({"type":"object","required":["b"],"properties":{"b":{"type":"integer","default":3}},"default":{}})",
       {}},
      {"default that breaks a rule",
       R"({"type":"object","required":["b"],"properties":{"b":{"type":"integer"}},"default":{}})",
       {".default.b FieldValueRequired"}},
      {"default of a composition",
       R"({"type":"string","not":{"enum":["x"]},"default":"x"})",
       {".default FieldValueInvalid"}},
  };
  for (const auto& row : rows) {
    Lines want;
    for (const auto& line : row.want) want.push_back("s.properties[spec].properties[a]" + line);
    std::sort(want.begin(), want.end());
    EXPECT_EQ(faults_of(with_a(row.a)), want) << row.reason;
  }
}

TEST(StructuralSchema, TheRootIsAnObjectWithImpliedMetadata) {
  EXPECT_EQ(faults_of(R"({"type":"object"})"), Lines{});
  EXPECT_EQ(faults_of("{}"), Lines{"s.type FieldValueRequired"});
  EXPECT_EQ(faults_of("3"), Lines{"s FieldValueTypeInvalid"});
  EXPECT_EQ(faults_of(R"({"x-kubernetes-preserve-unknown-fields":true})"), Lines{"s.type FieldValueRequired"});
  EXPECT_EQ(faults_of(R"({"type":"string"})"), Lines{"s.type FieldValueInvalid"});
  EXPECT_EQ(faults_of(R"({"type":"object","nullable":true})"), Lines{"s.nullable FieldValueForbidden"});
  EXPECT_EQ(faults_of(R"({"type":"object","additionalProperties":{"type":"string"}})"),
            Lines{"s.additionalProperties FieldValueForbidden"});
  EXPECT_EQ(
      faults_of(
          R"({"type":"object","properties":{"kind":{"type":"integer"},"apiVersion":{"type":"string","default":"x"}}})"),
      (Lines{"s.properties[apiVersion].default FieldValueForbidden", "s.properties[kind].type FieldValueInvalid"}));
}

TEST(StructuralSchema, EveryFaultIsReportedAtOnce) {
  EXPECT_EQ(faults_of(R"({"type":"object","properties":{"spec":{"properties":{"a":{}}}}})"),
            (Lines{"s.properties[spec].properties[a].type FieldValueRequired",
                   "s.properties[spec].type FieldValueRequired"}));
}

// Every path below a property repeats its name, whether or not there is a fault.
TEST(StructuralSchema, ALongNameIsNotCopiedForEverythingBelowIt) {
  for (const std::string_view property : {R"({"type":"string"})", "{}"}) {
    EXPECT_TRUE(::chandler::testing::is_linear(4'000, [&](size_t size) -> ::chandler::testing::Growth::Work {
      std::string below;
      for (size_t i = 0; i < size; ++i) below += fmt::format(R"({}"p{}":{})", i == 0 ? "" : ",", i, property);
      auto schema =
          doc(fmt::format(R"({{"type":"object","properties":{{"{}":{{"type":"object","properties":{{{}}}}}}}}})",
                          std::string(40 * size, 'x'), below));
      return [schema = std::move(schema)] {
        FieldErrors errors;
        compile_schema(schema, Path("s"), {}, errors);
      };
    })) << property;
  }
}

}  // namespace
}  // namespace chandler::meta
