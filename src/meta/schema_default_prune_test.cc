#include <fmt/format.h>
#include <gtest/gtest.h>

#include "meta/schema_fixture.h"

namespace chandler::meta {
namespace {

using Lines = std::vector<std::string>;

std::string defaulted(const SchemaNode& schema, std::string_view text) {
  json::Value value = doc(text);
  EXPECT_TRUE(apply_defaults(schema, value));
  return json::write(value);
}

TEST(Defaults, AreFilledInWhereTheParentIsThere) {
  const auto schema = compiled(
      R"({"type":"object","properties":{"spec":{"type":"object","properties":{
           "a":{"type":"string","default":"x"},
           "n":{"type":"object","properties":{"m":{"type":"integer","default":3}},"default":{}},
           "l":{"type":"array","items":{"type":"object","properties":{"k":{"type":"string","default":"kk"}}}},
           "d":{"type":"object","additionalProperties":{"type":"object","properties":{"z":{"type":"boolean","default":true}}}},
           "o":{"type":"object","properties":{"p":{"type":"string","default":"q"}}}}}}})");
  EXPECT_EQ(defaulted(*schema, R"({"spec":{"l":[{}],"d":{"e":{}}}})"),
            R"({"spec":{"a":"x","d":{"e":{"z":true}},"l":[{"k":"kk"}],"n":{"m":3}}})");
  EXPECT_EQ(defaulted(*schema, R"({"spec":{"a":"y","n":{"m":4},"o":{}}})"),
            R"({"spec":{"a":"y","n":{"m":4},"o":{"p":"q"}}})");
  EXPECT_EQ(defaulted(*schema, "{}"), "{}");
  EXPECT_EQ(defaulted(*schema, "[1]"), "[1]");
}

std::string list_of(size_t n, std::string_view item) {
  std::string out = "[";
  for (size_t i = 0; i < n; ++i) out.append(i == 0 ? "" : ",").append(item);
  return out + "]";
}

TEST(Defaults, AreOfBoundedSize) {
  const auto schema = compiled(R"({"type":"object","properties":{"spec":{"type":"array","items":{
      "type":"object","nullable":false,"default":{},"properties":{"a":{"type":"string","default":")" +
                               std::string(100'000, 'x') + R"("},"b":{"type":"object"}}}}}})");
  for (const std::string_view item : {"{}", "null", R"({"a":null})", R"({"b":{}})"}) {
    json::Value few = doc(R"({"spec":)" + list_of(100, item) + "}");
    EXPECT_TRUE(apply_defaults(*schema, few)) << item;
    EXPECT_EQ(json::find_path(few, {"spec"})->get_array().back().at("a").get_string().size(), 100'000U);
    json::Value many = doc(R"({"spec":)" + list_of(1'000, item) + "}");
    EXPECT_FALSE(apply_defaults(*schema, many)) << item;
    EXPECT_LT(json::write(many).size(), 17U * 1024 * 1024) << item;
  }
}

TEST(Defaults, AreChargedForTheirNames) {
  const auto schema = compiled(R"({"type":"object","properties":{"spec":{"type":"array","items":{
      "type":"object","properties":{")" +
                               std::string(100'000, 'x') + R"(":{"type":"integer","default":1}}}}}})");
  json::Value few = doc(R"({"spec":)" + list_of(100, "{}") + "}");
  EXPECT_TRUE(apply_defaults(*schema, few));
  json::Value many = doc(R"({"spec":)" + list_of(1'000, "{}") + "}");
  EXPECT_FALSE(apply_defaults(*schema, many));
  EXPECT_LT(json::write(many).size(), 17U * 1024 * 1024);
}

TEST(Defaults, AreNotLookedForAmongManyPropertiesOfManyObjects) {
  std::string properties;
  for (int i = 0; i < 2'000; ++i) properties += fmt::format(R"({}"p{}":{{"type":"string"}})", i == 0 ? "" : ",", i);
  const auto schema = compiled(R"({"type":"object","properties":{"spec":{"type":"array","items":{
      "type":"object","properties":{)" +
                               properties + "}}}}}");
  json::Value some = doc(R"({"spec":)" + list_of(10'000, "{}") + "}");
  EXPECT_TRUE(apply_defaults(*schema, some));
  json::Value many = doc(R"({"spec":)" + list_of(100'000, "{}") + "}");
  EXPECT_FALSE(apply_defaults(*schema, many));
}

TEST(Defaults, ADefaultWithTooManyInsideItIsRefused) {
  FieldErrors errors;
  const auto schema = doc(R"({"type":"object","properties":{"spec":{"type":"array","default":)" + list_of(1'000, "{}") +
                          R"(,"items":{"type":"object","properties":{"a":{"type":"string",
      "default":")" + std::string(100'000, 'x') +
                          R"("}}}}}})");
  EXPECT_EQ(compile_schema(schema, Path("s"), {}, errors), nullptr);
  EXPECT_EQ(lines(errors), Lines{"s.properties[spec].default FieldValueForbidden"});
}

TEST(Defaults, DefaultsThatTogetherHaveTooManyInsideThemAreRefused) {
  const std::string list = R"({"type":"array","default":)" + list_of(100, "{}") +
                           R"(,"items":{"type":"object","properties":{"a":{"type":"string","default":")" +
                           std::string(100'000, 'x') + R"("}}}})";
  FieldErrors errors;
  const auto schema = doc(R"({"type":"object","properties":{"first":)" + list + R"(,"second":)" + list + "}}");
  EXPECT_EQ(compile_schema(schema, Path("s"), {}, errors), nullptr);
  EXPECT_EQ(lines(errors), Lines{"s.properties[second].default FieldValueForbidden"});
}

TEST(Defaults, NullCountsAsAbsentUnlessNullable) {
  const auto schema = compiled(
      R"({"type":"object","properties":{"spec":{"type":"object","properties":{
           "a":{"type":"string","default":"x"},"b":{"type":"string","default":"y","nullable":true},"c":{"type":"string"},
           "d":{"type":"string","nullable":true},
           "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
           "map":{"type":"object","additionalProperties":{"type":"string"}},
           "list":{"type":"array","items":{"type":"string"}}}}}})");
  EXPECT_EQ(defaulted(*schema, R"({"metadata":{"labels":null,"name":"n"},"spec":{"a":null,"b":null,"c":null,"d":null,
                                   "free":{"q":null},"map":{"k":null},"list":[null]}})"),
            R"({"metadata":{"name":"n"},"spec":{"a":"x","b":null,"d":null,"free":{"q":null},"list":[null],"map":{}}})");
}

struct Row {
  const char* reason;
  const char* value;
  const char* want;
  Lines unknown;
};

TEST(Pruning, DropsAndNamesWhatTheSchemaDoesNotKnow) {
  const auto schema = compiled(
      R"({"type":"object","properties":{"spec":{"type":"object","properties":{
           "a":{"type":"string"},
           "ports":{"type":"array","items":{"type":"object","properties":{"p":{"type":"integer"}}}},
           "map":{"type":"object","additionalProperties":{"type":"object","properties":{"x":{"type":"string"}}}},
           "any":{"type":"object","additionalProperties":true},
           "empty":{"type":"object"},
           "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true,
                   "properties":{"in":{"type":"object","properties":{"x":{"type":"string"}}}}},
           "e":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true},
           "f":{"type":"object","x-kubernetes-embedded-resource":true,"properties":{"spec":{"type":"object"}}}}}}})");
  const std::vector<Row> rows = {
      {"root",
       R"({"apiVersion":"v1","kind":"K","metadata":{"name":"n"},"zz":{"y":1},"spec":{"a":"x","b":1}})",
       R"({"apiVersion":"v1","kind":"K","metadata":{"name":"n"},"spec":{"a":"x"}})",
       {"spec.b", "zz"}},
      {"lists",
       R"({"spec":{"ports":[{"p":1},{"p":2,"x":3}]}})",
       R"({"spec":{"ports":[{"p":1},{"p":2}]}})",
       {"spec.ports[1].x"}},
      {"maps", R"({"spec":{"map":{"k":{"x":"","y":1}}}})", R"({"spec":{"map":{"k":{"x":""}}}})", {"spec.map.k.y"}},
      {"any members", R"({"spec":{"any":{"k":{"x":[1]}}}})", R"({"spec":{"any":{"k":{"x":[1]}}}})", {}},
      {"an object without properties keeps none",
       R"({"spec":{"empty":{"k":1}}})",
       R"({"spec":{"empty":{}}})",
       {"spec.empty.k"}},
      {"free content keeps, known properties still prune",
       R"({"spec":{"free":{"f":[1,{"q":null}],"in":{"x":"1","y":"2"}}}})",
       R"({"spec":{"free":{"f":[1,{"q":null}],"in":{"x":"1"}}}})",
       {"spec.free.in.y"}},
      {"metadata",
       R"({"metadata":{"name":"n","bogus":1,"ownerReferences":[{"uid":"u","x":1}],"managedFields":[{"fieldsV1":{"f:a":{}}}]}})",
       R"({"metadata":{"managedFields":[{"fieldsV1":{"f:a":{}}}],"name":"n","ownerReferences":[{"uid":"u"}]}})",
       {"metadata.bogus", "metadata.ownerReferences[0].x"}},
      {"embedded and free",
       R"({"spec":{"e":{"apiVersion":"v1","kind":"X","metadata":{"name":"n","bogus":1},"z":1}}})",
       R"({"spec":{"e":{"apiVersion":"v1","kind":"X","metadata":{"name":"n"},"z":1}}})",
       {"spec.e.metadata.bogus"}},
      {"embedded",
       R"({"spec":{"f":{"apiVersion":"v1","kind":"X","metadata":{},"spec":{"q":1},"z":1}}})",
       R"({"spec":{"f":{"apiVersion":"v1","kind":"X","metadata":{},"spec":{}}}})",
       {"spec.f.spec.q", "spec.f.z"}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.reason);
    Lines unknown;
    json::Value value = doc(row.value);
    prune(*schema, value, &unknown);
    std::sort(unknown.begin(), unknown.end());
    EXPECT_EQ(json::write(value), row.want);
    EXPECT_EQ(unknown, row.unknown);

    json::Value kept = doc(row.value);
    Lines reported;
    prune(*schema, kept, &reported, true);
    std::sort(reported.begin(), reported.end());
    EXPECT_EQ(json::write(kept), json::write(doc(row.value))) << "with keep nothing is dropped";
    EXPECT_EQ(reported, row.unknown);
  }
}

}  // namespace
}  // namespace chandler::meta
