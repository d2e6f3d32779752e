#include "resolve/sensitive_parameters.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "json/writer.h"
#include "json/yaml.h"

namespace chandler::resolve {
namespace {

struct Row {
  std::string reason, schema, parameters, found;
};

std::string found_in(const json::Value& schema, const json::Value& parameters, bool& is_complete) {
  std::string out;
  is_complete = find_sensitive_parameters(
      schema, parameters, [&](const json::Value& value) { out += (out.empty() ? "" : " ") + json::write(value); });
  return out;
}

TEST(SensitiveParameters, AreWhatTheSchemaMarks) {
  for (const Row& row : std::vector<Row>{
           {"writeOnly", "{properties: {a: {writeOnly: true}, b: {writeOnly: false}}}", "{a: x, b: z}", R"("x")"},
           {"format", "{properties: {a: {format: password}, b: {format: uri}}}", "{a: x, b: z}", R"("x")"},
           {"all of an object", "{properties: {a: {writeOnly: true}}}", "{a: {b: [1]}}", R"({"b":[1]})"},
           {"nested", "{properties: {a: {properties: {b: {items: {properties: {c: {writeOnly: true}}}}}}}}",
            "{a: {b: [{c: 1}, {c: 2}]}}", "1 2"},
           {"by place", "{properties: {a: {items: [{}, {writeOnly: true}], additionalItems: {format: password}}}}",
            "{a: [x, z]}", R"("x" "z" "z")"},
           {"any branch",
            "{anyOf: [{properties: {a: {writeOnly: true}}}], then: {properties: {b: {format: password}}}}",
            "{a: x, b: z}", R"("x" "z")"},
           {"additional", "{properties: {a: {}}, additionalProperties: {writeOnly: true}}", "{b: z}", R"("z")"},
           {"patterns", "{patternProperties: {^p: {writeOnly: true}}}", "{password: x}", R"("x")"},
           {"reference", "{properties: {a: {$ref: '#/definitions/a~1b'}}, definitions: {a/b: {writeOnly: true}}}",
            "{a: x}", R"("x")"},
           {"reference into a list", "{properties: {a: {$ref: '#/allOf/0'}}, allOf: [{writeOnly: true}]}", "{a: x}",
            R"({"a":"x"} "x")"},
           {"in circles", "{properties: {a: {$ref: '#'}}, $ref: '#'}", "{a: {a: {a: x}}}", ""},
           {"elsewhere", "{properties: {a: {$ref: 'http://evil/x'}}}", "{a: x}", ""},
           {"nowhere", "{properties: {a: {$ref: '#/b/c'}}}", "{a: x}", ""},
           {"no schema", "7", "{a: x}", ""},
           {"a parameter of that name", "{properties: {writeOnly: {type: boolean}}}", "{writeOnly: true}", ""}}) {
    bool is_complete = false;
    const auto schema = json::parse_yaml(row.schema);
    const auto parameters = json::parse_yaml(row.parameters);
    ASSERT_TRUE(schema.ok() && parameters.ok()) << row.reason;
    EXPECT_EQ(found_in(*schema, *parameters, is_complete), row.found) << row.reason;
    EXPECT_TRUE(is_complete) << row.reason;
  }
}

// Branches that refer to each other, and values nested deeply: every pair of both would be exponential in the depth.
TEST(SensitiveParameters, GiveUpWithAWord) {
  const auto schema = json::parse_yaml(
      "{anyOf: [{$ref: '#/d/a'}, {$ref: '#/d/b'}], d: {a: {additionalProperties: {$ref: "
      "'#'}}, b: {additionalProperties: {$ref: '#'}}}}");
  json::Value deep(boost::json::string_view("x"));
  for (int i = 0; i < 500; ++i) deep = json::Object{{"a", std::move(deep)}};
  bool is_complete = false;
  EXPECT_EQ(found_in(*schema, deep, is_complete), "");
  EXPECT_TRUE(is_complete) << "each pair is looked at once";

  json::Object many;
  json::Array branches;
  for (int i = 0; i < 2000; ++i) many[std::to_string(i)] = i;
  for (int i = 0; i < 200; ++i) branches.push_back(json::Object{{"additionalProperties", json::Object{{"a", i}}}});
  found_in(json::Object{{"anyOf", branches}}, many, is_complete);
  EXPECT_FALSE(is_complete) << "the caller must not believe that it has seen all";
}

}  // namespace
}  // namespace chandler::resolve
