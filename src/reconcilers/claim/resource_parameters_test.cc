#include "reconcilers/claim/resource_parameters.h"

#include <gtest/gtest.h>

#include "controller/fake_api.h"
#include "json/writer.h"
#include "json/yaml.h"
#include "reconcilers/claim/kinds.h"

namespace chandler::reconcilers::claims {
namespace {

TEST(TypedValue, IsWhatTheSchemaWants) {
  const struct {
    std::string_view given, schema, expected, why;
  } rows[] = {
      {"20", "{type: integer}", "20", "a number"},
      {"-3", "{type: integer}", "-3", "a negative one"},
      {"twenty", "{type: integer}", "must be a whole number", "no number becomes 0 silently"},
      {"2.5", "{type: integer}", "must be a whole number", "not whole"},
      {"99999999999999999999", "{type: integer}", "must be a whole number", "too large for any field"},
      {"2.5", "{type: number}", "2.5", "a number"},
      {"NaN", "{type: number}", "must be a number", "JSON has none"},
      {"true", "{type: boolean}", "true", "a boolean"},
      {"yes", "{type: boolean}", "must be true or false", "no guesses"},
      {"20", "{type: string}", "\"20\"", "a text stays one"},
      {"", "{type: string}", "\"\"", "an empty one too"},
      {"20", "{}", "\"20\"", "nothing is said"},
      {"[1,2]", "{type: array}", "[1,2]", "a list as JSON"},
      {"1,2", "{type: array}", "must be an array as JSON", "no list"},
      {"{\"a\":1}", "{type: object}", "{\"a\":1}", "an object as JSON"},
      {"[]", "{type: object}", "must be an object as JSON", "a list is no object"},
      {"7", "{x-kubernetes-int-or-string: true}", "7", "a number, if it is one"},
      {"50%", "{x-kubernetes-int-or-string: true}", "\"50%\"", "else a text"},
  };
  for (const auto& row : rows) {
    const auto schema = json::parse_yaml(row.schema);
    ASSERT_TRUE(schema.ok());
    const auto value = typed_value(row.given, *schema);
    EXPECT_EQ(value.ok() ? json::write(*value) : "must be " + value.error(), row.expected)
        << row.given << ": " << row.why;
  }
}

TEST(ResourceSpec, ComesFromClassAndClaimWhichMustAgree) {
  constexpr std::string_view kClosed =
      "{type: object, properties: {size: {type: integer}, tier: {type: string}, engineVersion: {type: string}, "
      "reclaimPolicy: {type: string}}}";
  const struct {
    std::string_view why, parameters, claim, schema, expected;
  } rows[] = {
      {"typed, and customary fields that the kind has", "{size: '20'}", "{}", kClosed,
       R"({"reclaimPolicy":"Delete","size":20})"},
      {"a kind without a schema takes all as it is", "{size: '20'}", "{}", "null",
       R"({"claimRef":{"name":"c"},"reclaimPolicy":"Delete","size":"20"})"},
      {"the claim adds what the kind knows", "{}", "{tier: gold, color: red, classReference: {name: k}}", kClosed,
       R"({"reclaimPolicy":"Delete","tier":"gold"})"},
      {"both say the same", "{tier: gold, size: '3'}", "{tier: gold, size: 3}", kClosed,
       R"({"reclaimPolicy":"Delete","size":3,"tier":"gold"})"},
      {"they differ", "{tier: gold}", "{tier: silver}", kClosed, "\"tier\" of the claim differs"},
      {"versions agree by components", "{engineVersion: 9.6.1}", "{engineVersion: '9.6'}", kClosed,
       R"({"engineVersion":"9.6.1","reclaimPolicy":"Delete"})"},
      {"nobody but the controller says what is customary", "{reclaimPolicy: Retain}", "{}", kClosed,
       "\"reclaimPolicy\" is not for a class to say"},
      {"nor does the claim", "{}", "{reclaimPolicy: Retain}", "null",
       R"({"claimRef":{"name":"c"},"reclaimPolicy":"Delete"})"},
      {"an unknown parameter is told", "{colour: red}", "{}", kClosed, "\"colour\" is no field of the kind"},
  };
  for (const auto& row : rows) {
    controller::FakeApi objects;
    const auto used =
        objects.put(kResourceClasses, fmt::format("{{metadata: {{name: k, namespace: n}}, provisioner: x, "
                                                  "parameters: {}}}",
                                                  row.parameters));
    const auto claim = objects.put(kBuiltInClaims[0], fmt::format("{{kind: PostgreSQLInstance, metadata: {{name: c, "
                                                                  "namespace: n}}, spec: {}}}",
                                                                  row.claim));
    const auto schema = json::parse_yaml(row.schema);
    ASSERT_TRUE(schema.ok());
    const json::Object customary{{"reclaimPolicy", "Delete"}, {"claimRef", {{"name", "c"}}}};
    const auto spec = resource_spec(ClaimView(kBuiltInClaims[0], claim), ResourceClassView(used), *schema, customary);
    if (spec.ok()) {
      EXPECT_EQ(json::write(json::Value(*spec)), row.expected) << row.why;
    } else {
      EXPECT_NE(spec.error().message.find(row.expected), std::string::npos) << row.why << ": " << spec.error().message;
    }
  }
}

}  // namespace
}  // namespace chandler::reconcilers::claims
