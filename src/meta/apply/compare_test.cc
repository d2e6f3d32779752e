#include "meta/apply/compare.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meta/schema_fixture.h"

namespace chandler::meta {
namespace {

constexpr std::string_view kSchema = R"({"type":"object","properties":{
  "spec":{"type":"object","properties":{
    "text":{"type":"string"},
    "map":{"type":"object","additionalProperties":{"type":"string"}},
    "atomicMap":{"type":"object","x-kubernetes-map-type":"atomic","additionalProperties":{"type":"string"}},
    "struct":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}},
    "plain":{"type":"array","items":{"type":"string"}},
    "set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
    "list":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["n","p"],
      "items":{"type":"object","required":["n"],"properties":{
        "n":{"type":"string"},"p":{"type":"string","default":"TCP"},"v":{"type":"string"},
        "deep":{"type":"object","additionalProperties":{"type":"string"}}}}},
    "any":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}},
  "status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}})";

const SchemaNode* apply_schema() {
  static const SchemaPtr schema = compiled(kSchema);
  return schema.get();
}

std::string with_spec(std::string_view spec) { return R"({"metadata":{"name":"a"},"spec":)" + std::string(spec) + "}"; }

struct CompareRow {
  std::string_view name, reason, old, now, added, modified, removed;
};

// A client chooses the order of what it adds; each key in front of those before it must not cost all of them a move.
TEST(CompareFields, TheOrderOfManyNewMembersMattersNeitherForTheResultNorForTheTime) {
  constexpr int kMany = 100'000;
  json::Object old{{"spec", json::Object{{"map", json::Object{{"z", "0"}}}}}};
  json::Object rising{{"z", "0"}};
  json::Object falling{{"z", "0"}};
  for (int i = 0; i < kMany; ++i) {
    rising[fmt::format("k{:06}", i)] = "v";
    falling[fmt::format("k{:06}", kMany - 1 - i)] = "v";
  }
  const auto compare = [&](const json::Object& map) {
    return compare_fields(apply_schema(), old, json::Object{{"spec", json::Object{{"map", map}}}}, {});
  };
  const auto a = compare(rising);
  const auto b = compare(falling);
  EXPECT_EQ(a.added.count(), static_cast<size_t>(kMany));
  EXPECT_TRUE(a.added == b.added);
  EXPECT_TRUE(a.modified.empty() && a.removed.empty() && b.modified.empty() && b.removed.empty());
}

TEST(CompareFields, FollowsTheSchema) {
  const CompareRow rows[] = {
      {"same", "nothing changed", R"({"text":"a","set":["a","b"]})", R"({"text":"a","set":["b","a"]})", "{}", "{}",
       "{}"},
      {"scalar", "a value", R"({"text":"a"})", R"({"text":"b"})", "{}", R"({"f:text":{}})", "{}"},
      {"came", "a map comes with itself and its keys", "{}", R"({"map":{"k":"v"}})", R"({"f:map":{".":{},"f:k":{}}})",
       "{}", "{}"},
      {"went", "and goes with them", R"({"map":{"k":"v"}})", "{}", "{}", "{}", R"({"f:map":{".":{},"f:k":{}}})"},
      {"key", "keys one by one", R"({"map":{"k":"v","l":"w"}})", R"({"map":{"k":"2","m":"3"}})",
       R"({"f:map":{"f:m":{}}})", R"({"f:map":{"f:k":{}}})", R"({"f:map":{"f:l":{}}})"},
      {"atomic-map", "as a whole", R"({"atomicMap":{"a":"1"}})", R"({"atomicMap":{"a":"1","b":"2"}})", "{}",
       R"({"f:atomicMap":{}})", "{}"},
      {"plain-list", "lists without a type are one piece", R"({"plain":["a"]})", R"({"plain":["a","b"]})", "{}",
       R"({"f:plain":{}})", "{}"},
      {"set", "items of a set", R"({"set":["a","b"]})", R"({"set":["b","c"]})", R"({"f:set":{"v:\"c\"":{}}})", "{}",
       R"({"f:set":{"v:\"a\"":{}}})"},
      {"list", "items by their keys, defaults included", R"({"list":[{"n":"a","v":"1"},{"n":"b","p":"UDP"}]})",
       R"({"list":[{"n":"c"},{"n":"a","p":"TCP","v":"2"}]})",
       R"({"f:list":{"k:{\"n\":\"a\",\"p\":\"TCP\"}":{"f:p":{}},"k:{\"n\":\"c\",\"p\":\"TCP\"}":{".":{},"f:n":{}}}})",
       R"({"f:list":{"k:{\"n\":\"a\",\"p\":\"TCP\"}":{"f:v":{}}}})",
       R"({"f:list":{"k:{\"n\":\"b\",\"p\":\"UDP\"}":{".":{},"f:n":{},"f:p":{}}}})"},
      {"no-key", "an item without keys makes the list one piece", R"({"list":[{"v":"1"}]})", R"({"list":[{"n":"1"}]})",
       "{}", R"({"f:list":{}})", "{}"},
      {"twins", "items of the same keys are compared together", R"({"list":[{"n":"a","v":"1"},{"n":"a","v":"2"}]})",
       R"({"list":[{"n":"a","v":"1"},{"n":"a","v":"3"}]})", "{}", R"({"f:list":{"k:{\"n\":\"a\",\"p\":\"TCP\"}":{}}})",
       "{}"},
      {"untyped", "unknown maps are walked, unknown lists are one piece", R"({"any":{"x":{"y":1},"l":[1]}})",
       R"({"any":{"x":{"y":2},"l":[1,2]}})", "{}", R"({"f:any":{"f:l":{},"f:x":{"f:y":{}}}})", "{}"},
      {"type", "what becomes something else goes and comes", R"({"any":{"x":{"y":1}}})", R"({"any":{"x":1}})", "{}",
       R"({"f:any":{"f:x":{}}})", R"({"f:any":{"f:x":{".":{},"f:y":{}}}})"},
      {"emptied", "a map without keys is still there", R"({"map":{"k":"v"}})", R"({"map":{}})", "{}", "{}",
       R"({"f:map":{"f:k":{}}})"},
      {"empty", "an empty map is owned as a whole", "{}", R"({"map":{},"set":[]})", R"({"f:map":{},"f:set":{}})", "{}",
       "{}"},
      {"struct", "a struct of a custom resource comes as such", "{}", R"({"struct":{"a":"1"}})",
       R"({"f:struct":{".":{},"f:a":{}}})", "{}", "{}"},
  };
  for (const auto& row : rows) {
    const auto got = compare_fields(apply_schema(), doc(with_spec(row.old)), doc(with_spec(row.now)), {});
    const auto below = [](const FieldSet& set) {
      const auto* spec = set.find("f:spec");
      return spec == nullptr ? std::string("{}") : json::write(spec->children.to_json());
    };
    EXPECT_EQ(below(got.added), json::write(doc(row.added))) << row.name << ": " << row.reason;
    EXPECT_EQ(below(got.modified), json::write(doc(row.modified))) << row.name << ": " << row.reason;
    EXPECT_EQ(below(got.removed), json::write(doc(row.removed))) << row.name << ": " << row.reason;
    EXPECT_EQ(got.empty(), row.added == "{}" && row.modified == "{}" && row.removed == "{}") << row.name;
  }
}

TEST(CompareFields, NobodyOwnsWhatTheServerKeeps) {
  const auto old = doc(R"({"apiVersion":"v1","kind":"A","metadata":{"name":"a","uid":"u","generation":1}})");
  const auto now = doc(R"({"apiVersion":"v2","kind":"A","metadata":{"name":"b","uid":"v","generation":2,
                           "resourceVersion":"3","creationTimestamp":"x","labels":{"a":"b"},"generateName":"g"}})");
  const auto got = compare_fields(apply_schema(), old, now, {});
  EXPECT_EQ(json::write(got.added.to_json()), R"({"f:metadata":{"f:generateName":{},"f:labels":{".":{},"f:a":{}}}})");
  EXPECT_TRUE(got.modified.empty());
  EXPECT_TRUE(got.removed.empty());
}

TEST(CompareFields, TheScopeLimitsWhatIsLookedAt) {
  const auto old = doc(R"({"metadata":{},"spec":{"text":"a"},"status":{"x":1}})");
  const auto now = doc(R"({"metadata":{},"spec":{"text":"b"},"status":{"x":2}})");
  FieldScope scope;
  scope.only = "status";
  EXPECT_EQ(json::write(compare_fields(apply_schema(), old, now, scope).modified.to_json()),
            R"({"f:status":{"f:x":{}}})");
  scope = {};
  scope.without = "status";
  EXPECT_EQ(json::write(compare_fields(apply_schema(), old, now, scope).modified.to_json()),
            R"({"f:spec":{"f:text":{}}})");
}

TEST(FieldsOfNew, TextAndSetAgree) {
  const std::string_view rows[] = {
      R"({"metadata":{"name":"a"}})",
      R"({"metadata":{"name":"a","labels":{"b\"c":"d","a/b":"c"},"finalizers":["z","a"],
          "ownerReferences":[{"uid":"u2","name":"x"},{"uid":"u1"}]}})",
      R"({"metadata":{},"spec":{"struct":{"b":"1","a":"2"},"map":{"z":"1","a":"2"},"set":["z","a","z"],"plain":["x"],
          "list":[{"n":"z","deep":{"q":"1"}},{"n":"a","p":"UDP","v":null},{"n":"a","p":"UDP"}],"any":{"x":{"y":[1]}},
          "atomicMap":{"a":"1"}},"status":{"a":1}})",
      R"({"metadata":{},"spec":{"list":[{"v":"no key"}]}})",
      R"({"metadata":{},"spec":{}})",
      R"({"metadata":{},"spec":{"map":{},"set":[],"struct":{}}})",
  };
  for (const auto row : rows) {
    for (const bool builtin : {false, true}) {
      FieldScope scope;
      scope.builtin = builtin;
      scope.without = "status";
      std::string text;
      const bool written = write_fields_of_new(text, apply_schema(), doc(row), scope);
      const auto set = fields_of_new(apply_schema(), doc(row), scope);
      EXPECT_EQ(written, !set.empty()) << row;
      EXPECT_EQ(written ? text : "{}", json::write(set.to_json())) << row;
    }
  }
}

TEST(FieldsOfNew, OfABuiltInKindNobodyOwnsAStruct) {
  FieldScope scope;
  scope.builtin = true;
  std::string text;
  const auto object = doc(with_spec(R"({"struct":{"a":"1"},"map":{"k":"v"},"list":[{"n":"a"}]})"));
  ASSERT_TRUE(write_fields_of_new(text, apply_schema(), object, scope));
  EXPECT_EQ(text, R"({"f:spec":{"f:list":{".":{},"k:{\"n\":\"a\",\"p\":\"TCP\"}":{".":{},"f:n":{}}},)"
                  R"("f:map":{".":{},"f:k":{}},"f:struct":{"f:a":{}}}})");
}

struct ConfigRow {
  std::string_view name, reason, spec, want;
};

TEST(FieldsOfConfig, AreLeavesItemsAndKeys) {
  const ConfigRow rows[] = {
      {"struct", "named members only through what is in them", R"({"struct":{"a":"1"}})", R"({"f:struct":{"f:a":{}}})"},
      {"map", "keys, not the map", R"({"map":{"k":"v"}})", R"({"f:map":{"f:k":{}}})"},
      {"atomic", "whole", R"({"atomicMap":{"k":"v"},"plain":["a"]})", R"({"f:atomicMap":{},"f:plain":{}})"},
      {"set", "values", R"({"set":["b","a"]})", R"({"f:set":{"v:\"a\"":{},"v:\"b\"":{}}})"},
      {"list", "items as such", R"({"list":[{"n":"a","v":"1"}]})",
       R"({"f:list":{"k:{\"n\":\"a\",\"p\":\"TCP\"}":{".":{},"f:n":{},"f:v":{}}}})"},
      {"untyped", "keys of unknown maps as such", R"({"any":{"x":{"y":[1,2]}}})",
       R"({"f:any":{"f:x":{".":{},"f:y":{}}}})"},
      {"null", "who says nothing about it still cares", R"({"map":null,"text":null})", R"({"f:map":{},"f:text":{}})"},
      {"empty", "an empty map is a wish, an empty list is none", R"({"map":{},"set":[]})", R"({"f:map":{}})"},
  };
  for (const auto& row : rows) {
    const auto got = fields_of_config(apply_schema(), doc(with_spec(row.spec)));
    ASSERT_TRUE(got.ok()) << row.name;
    EXPECT_EQ(json::write(got->to_json()), json::write(doc(R"({"f:spec":)" + std::string(row.want) + "}")))
        << row.name << ": " << row.reason;
  }
}

TEST(FitToSchema, WhoOwnedPartsOwnsThePiece) {
  auto fields = FieldSet::parse(doc(R"({"f:spec":{"f:atomicMap":{"f:a":{}},"f:plain":{"v:\"x\"":{}},
      "f:map":{"f:k":{}},"f:set":{"v:\"a\"":{}},"f:any":{"f:x":{"f:y":{}}},"f:gone":{"f:z":{}}}})"));
  ASSERT_TRUE(fields.ok());
  fit_to_schema(apply_schema(), *fields);
  EXPECT_EQ(json::write(fields->to_json()),
            R"({"f:spec":{"f:any":{"f:x":{"f:y":{}}},"f:atomicMap":{},"f:gone":{"f:z":{}},"f:map":{"f:k":{}},)"
            R"("f:plain":{},"f:set":{"v:\"a\"":{}}}})");
}

TEST(FieldsOfConfig, RefusesItemsThatCannotBeToldApart) {
  for (const std::string_view spec :
       {R"({"set":["a","a"]})", R"({"list":[{"n":"a"},{"n":"a","p":"TCP"}]})", R"({"list":[{"n":"a"},"b"]})"}) {
    const auto got = fields_of_config(apply_schema(), doc(with_spec(spec)));
    ASSERT_FALSE(got.ok()) << spec;
    EXPECT_EQ(got.error().reason, Reason::kBadRequest) << spec;
  }
  const auto message = [](std::string_view spec) {
    return fields_of_config(apply_schema(), doc(with_spec(spec))).error().message;
  };
  EXPECT_TRUE(message(R"({"set":["a","a"]})").starts_with(".spec.set in the applied configuration"));
  EXPECT_TRUE(message(R"({"list":[{"n":"a"},{"p":"x"}]})").starts_with(".spec.list[1] in the applied configuration"));
}

}  // namespace
}  // namespace chandler::meta
