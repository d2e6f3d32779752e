#include "meta/schema_compiler.h"

#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meta/schema_fixture.h"

namespace chandler::meta {
namespace {

using Lines = std::vector<std::string>;

class FragmentsTest : public ::testing::Test {
 protected:
  FragmentsTest()
      : fragments_([this](std::string_view name) -> const json::Value* {
          const auto found = documents_.find(name);
          return found == documents_.end() ? nullptr : &found->second;
        }) {
    options_.fragments = &fragments_;
    options_.allow_metadata = true;
  }

  std::map<std::string, json::Value, std::less<>> documents_;
  Fragments fragments_;
  CompileOptions options_;
};

TEST_F(FragmentsTest, AreCompiledOnceAndMayRefToThemselves) {
  documents_["Tree"] = doc(R"({"type":"object","properties":{"n":{"type":"integer","default":1},
      "kids":{"type":"array","items":{"$ref":"fragment/Tree"}},"leaf":{"$ref":"fragment/Leaf"}}})");
  documents_["Leaf"] = doc(R"({"type":"object","properties":{"of":{"$ref":"fragment/Tree"}}})");
  SchemaPtr schema = compiled(
      R"({"type":"object","properties":{"a":{"$ref":"fragment/Tree"},"b":{"$ref":"fragment/Tree"}}})", options_);
  EXPECT_EQ(schema->property("a"), schema->property("b"));
  EXPECT_EQ(schema->property("a"), fragments_.get("Tree")->get());
  EXPECT_EQ(schema_at(*schema, {"a", "leaf", "of"}), schema->property("a"));
  EXPECT_EQ(faults(*schema, R"({"a":{"kids":[{"kids":[{"n":"x"}]}]}})"),
            Lines{"a.kids[0].kids[0].n FieldValueTypeInvalid"});
  json::Value value = doc(R"({"a":{"kids":[{"x":1}]}})");
  Lines unknown;
  prune(*schema, value, &unknown);
  apply_defaults(*schema, value);
  EXPECT_EQ(unknown, Lines{"a.kids[0].x"});
  EXPECT_EQ(json::write(value), R"({"a":{"kids":[{"n":1}],"n":1}})");
}

TEST_F(FragmentsTest, OutliveTheirTable) {
  documents_["F"] = doc(R"({"type":"string"})");
  SchemaPtr schema;
  {
    Fragments table([this](std::string_view) { return &documents_["F"]; });
    CompileOptions options;
    options.fragments = &table;
    schema = compiled(R"({"type":"object","properties":{"a":{"$ref":"fragment/F"}}})", options);
  }
  EXPECT_EQ(faults(*schema, R"({"a":1})"), Lines{"a FieldValueTypeInvalid"});
}

TEST_F(FragmentsTest, FaultsAreNamed) {
  documents_["Bad"] = doc(R"({"type":"object","properties":{"x":{}}})");
  FieldErrors errors;
  EXPECT_EQ(
      compile_schema(doc(R"({"type":"object","properties":{"a":{"$ref":"fragment/Bad"},"b":{"$ref":"fragment/None"},
                                   "c":{"$ref":"fragment/Bad","type":"object"}}})"),
                     Path("s"), options_, errors),
      nullptr);
  EXPECT_EQ(lines(errors), (Lines{"fragment/Bad.properties[x].type FieldValueRequired",
                                  "s.properties[b].$ref FieldValueNotFound", "s.properties[c] FieldValueForbidden"}));
  EXPECT_EQ(fragments_.get("None").error().reason, Reason::kNotFound);
}

TEST_F(FragmentsTest, AreNotForUserSchemas) {
  FieldErrors errors;
  EXPECT_EQ(compile_schema(doc(R"({"type":"object","properties":{"a":{"$ref":"fragment/F"}}})"), Path("s"), {}, errors),
            nullptr);
  EXPECT_EQ(lines(errors),
            (Lines{"s.properties[a].$ref FieldValueForbidden", "s.properties[a].type FieldValueRequired"}));
}

TEST_F(FragmentsTest, MergeRulesAreReadOffTheSchema) {
  const auto schema = compiled(
      R"({"type":"object","properties":{"spec":{"type":"object","properties":{
           "containers":{"type":"array","x-kubernetes-patch-strategy":"merge","x-kubernetes-patch-merge-key":"name",
             "items":{"type":"object","properties":{"name":{"type":"string"}}}},
           "strategy":{"type":"object","x-kubernetes-patch-strategy":"retainKeys"},
           "plain":{"type":"array","items":{"type":"string"}}}}}})",
      options_);
  const auto rules = merge_rules(schema);
  const auto spec = rules->member(rules->root(), "spec");
  const auto containers = rules->member(spec, "containers");
  EXPECT_TRUE(rules->rule(containers).merge);
  EXPECT_EQ(rules->rule(containers).key, "name");
  EXPECT_NE(rules->member(rules->item(containers), "name"), nullptr);
  EXPECT_TRUE(rules->rule(rules->member(spec, "strategy")).retain_keys);
  EXPECT_FALSE(rules->rule(rules->member(spec, "plain")).merge);
  EXPECT_EQ(rules->member(spec, "unknown"), nullptr);
  EXPECT_EQ(rules->member(nullptr, "x"), nullptr);
  EXPECT_EQ(rules->item(nullptr), nullptr);
  const auto metadata = rules->member(rules->root(), "metadata");
  EXPECT_EQ(rules->rule(rules->member(metadata, "ownerReferences")).key, "uid");
  EXPECT_TRUE(rules->rule(rules->member(metadata, "finalizers")).merge);
}

TEST(Schema, UserSchemasHaveNoMergeStrategies) {
  const auto schema =
      compiled(with_a(R"({"type":"array","items":{"type":"string"},"x-kubernetes-patch-strategy":"merge"})"));
  EXPECT_EQ(schema_at(*schema, {"spec", "a"})->strategy, nullptr);
}

TEST(Schema, APathOfNamesLeadsToItsNode) {
  const auto schema = compiled(with_a(R"({"type":"object","additionalProperties":{"type":"integer"}})"));
  EXPECT_EQ(schema_at(*schema, {"spec", "a", "anything"})->types, kTypeInteger);
  EXPECT_EQ(schema_at(*schema, {"spec", "zz"}), nullptr);
  EXPECT_EQ(schema_at(*schema, {"metadata", "name"})->types, kTypeString);
  EXPECT_EQ(schema_at(*schema, {}), schema.get());
}

Lines broker_faults(std::string_view schema, std::string_view value) {
  CompileOptions options;
  options.structural = false;
  return faults(*compiled(schema, options), value);
}

TEST(JsonSchema, TakesTheKeywordsOfBrokers) {
  struct Row {
    const char* reason;
    const char* schema;
    const char* value;
    Lines want;
  };
  const std::vector<Row> rows = {
      {"anything goes", "{}", R"({"a":[1]})", {}},
      {"several types", R"({"type":["string","null"]})", "null", {}},
      {"several types, none", R"({"type":["string","null"]})", "1", {" FieldValueTypeInvalid"}},
      {"closed",
       R"({"properties":{"a":{}},"additionalProperties":false})",
       R"({"a":1,"b":2})",
       {"b FieldValueForbidden"}},
      {"patternProperties",
       R"({"patternProperties":{"^x":{"type":"string"}},"additionalProperties":false})",
       R"({"x1":"","x2":3,"y":1})",
       {"x2 FieldValueTypeInvalid", "y FieldValueForbidden"}},
      {"additional beside properties",
       R"({"properties":{"a":{"type":"integer"}},"additionalProperties":{"type":"string"}})",
       R"({"a":1,"b":2})",
       {"b FieldValueTypeInvalid"}},
      {"propertyNames", R"({"propertyNames":{"maxLength":2}})", R"({"abc":1})", {"abc FieldValueInvalid"}},
      {"const", R"({"const":{"a":1}})", R"({"a":1.0})", {}},
      {"const, another", R"({"const":1})", "2", {" FieldValueNotSupported"}},
      {"exclusive bound as a number", R"({"exclusiveMinimum":1})", "1", {" FieldValueInvalid"}},
      {"exclusive bound as a flag", R"({"maximum":1,"exclusiveMaximum":true})", "1", {" FieldValueInvalid"}},
      {"uniqueItems", R"({"uniqueItems":true})", "[1,2,1]", {"[2] FieldValueDuplicate"}},
      {"tuple",
       R"({"items":[{"type":"string"},{"type":"integer"}],"additionalItems":{"type":"boolean"}})",
       R"(["x","y",1])",
       {"[1] FieldValueTypeInvalid", "[2] FieldValueTypeInvalid"}},
      {"closed tuple", R"({"items":[{}],"additionalItems":false})", "[1,2]", {"[1] FieldValueInvalid"}},
      {"contains", R"({"contains":{"const":3}})", "[1,2]", {" FieldValueInvalid"}},
      {"dependencies on names", R"({"dependencies":{"a":["b"]}})", R"({"a":1})", {"b FieldValueRequired"}},
      {"dependencies on a schema",
       R"({"dependencies":{"a":{"required":["c"]}}})",
       R"({"a":1})",
       {"c FieldValueRequired"}},
      {"if then",
       R"({"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}})",
       R"({"a":1})",
       {"b FieldValueRequired"}},
      {"if else",
       R"({"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}})",
       "{}",
       {"c FieldValueRequired"}},
      {"reference",
       R"({"definitions":{"x/y":{"type":"string"}},"properties":{"a":{"$ref":"#/definitions/x~1y"}}})",
       R"({"a":1})",
       {"a FieldValueTypeInvalid"}},
      {"recursive reference",
       R"({"properties":{"n":{"type":"integer"},"next":{"$ref":"#"}}})",
       R"({"next":{"next":{"n":"x"}}})",
       {"next.next.n FieldValueTypeInvalid"}},
      {"false", R"({"properties":{"a":false}})", R"({"a":1})", {"a FieldValueInvalid"}},
      {"required as a flag is ignored", R"({"properties":{"a":{"required":true}}})", "{}", {}},
      {"a circle ends", R"({"$ref":"#"})", "1", {" FieldValueInvalid"}},
      {"a circle in allOf ends", R"({"allOf":[{"$ref":"#"}]})", "{}", {" FieldValueInvalid"}},
  };
  for (const auto& row : rows) EXPECT_EQ(broker_faults(row.schema, row.value), row.want) << row.reason;
}

TEST(JsonSchema, DoesNotPruneOrDefault) {
  CompileOptions options;
  options.structural = false;
  const auto schema = compiled(R"({"properties":{"a":{"properties":{}},"b":{"default":1}}})", options);
  json::Value value = doc(R"({"a":{"x":1},"c":null})");
  Lines unknown;
  prune(*schema, value, &unknown);
  apply_defaults(*schema, value);
  EXPECT_EQ(json::write(value), R"({"a":{"x":1},"c":null})");
  EXPECT_EQ(unknown, Lines{});
}

TEST(JsonSchema, FollowsNoReferenceOutOfTheDocument) {
  CompileOptions options;
  options.structural = false;
  FieldErrors errors;
  EXPECT_EQ(
      compile_schema(doc(R"({"properties":{"a":{"$ref":"http://x/y"},"b":{"$ref":"#/none"},"c":{"$ref":"#%zz"}}})"),
                     Path("s"), options, errors),
      nullptr);
  EXPECT_EQ(lines(errors), (Lines{"s.properties[a].$ref FieldValueForbidden", "s.properties[b].$ref FieldValueNotFound",
                                  "s.properties[c].$ref FieldValueNotFound"}));
}

TEST(JsonSchema, ALongChainOfReferencesNeitherRecursesNorHangs) {
  std::string text = R"({"$ref":"#/definitions/0","definitions":{)";
  for (int i = 0; i < 20'000; ++i) text += fmt::format(R"("{}":{{"$ref":"#/definitions/{}"}},)", i, i + 1);
  text += R"("20000":{}}})";
  EXPECT_EQ(broker_faults(text, "1"), Lines{" FieldValueInvalid"});
  std::string doubling = R"({"$ref":"#/definitions/0","definitions":{)";
  for (int i = 0; i < 60; ++i) {
    doubling += fmt::format(R"("{}":{{"anyOf":[{{"$ref":"#/definitions/{}"}},{{"$ref":"#/definitions/{}"}}]}},)", i,
                            i + 1, i + 1);
  }
  doubling += R"("60":false}})";
  EXPECT_FALSE(broker_faults(doubling, "1").empty());
}

std::string with_patterns(size_t count, std::string_view pattern) {
  std::string properties;
  for (size_t i = 0; i < count; ++i) {
    properties += fmt::format(R"({}"p{}":{{"type":"string","pattern":"{}"}})", i == 0 ? "" : ",", i,
                              fmt::format(fmt::runtime(pattern), i));
  }
  return R"({"type":"object","properties":{)" + properties + "}}";
}

TEST(SchemaCompiler, PatternsThatPeopleWriteAreAllowed) {
  for (const char* pattern :
       {R"(^[a-zA-Z0-9]([-a-zA-Z0-9]{{0,251}}[a-zA-Z0-9])?{}$)", R"(^.{{0,1000}}$)",
        R"(^[^:]{{1,1000}}:[^:]{{1,1000}}$)",
        R"(^({}|([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?))))?$)"}) {
    EXPECT_NE(compiled(with_patterns(400, pattern)), nullptr) << pattern;
  }
  EXPECT_NE(compiled(with_patterns(10'000, "^[a-z]{{0,1000}}$")), nullptr) << "one of them is compiled";
}

TEST(SchemaCompiler, PatternsTogetherAreBounded) {
  for (const bool structural : {true, false}) {
    CompileOptions options;
    options.structural = structural;
    for (const char* pattern : {"[^a]{{1000}}{}", "^a{}$", "\\\\pL{{1000}}{}"}) {
      FieldErrors errors;
      EXPECT_EQ(compile_schema(doc(with_patterns(2'000, pattern)), Path("s"), options, errors), nullptr) << pattern;
      ASSERT_FALSE(errors.empty());
      EXPECT_THAT(errors.causes().back().message, ::testing::HasSubstr("too large")) << pattern;
    }
  }
}

}  // namespace
}  // namespace chandler::meta
