#include "resolve/merge_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/reader.h"
#include "json/writer.h"

namespace chandler::resolve {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

json::Value doc(std::string_view text) { return text.empty() ? json::Value() : json::parse(text).value(); }

struct Row {
  std::string_view name, reason, of_class, of_plan, of_instance;
  std::string_view want, sources;
};

json::Value sources_of(const MergedParameters& merged) {
  json::Object object;
  for (const auto& [pointer, layer] : merged.sources) object.emplace(pointer, layer);
  return object;
}

TEST(MergeParameters, HigherLayersWin) {
  const Row rows[] = {
      {"nothing", "no layer sets anything", "", "", "", "{}", "{}"},
      {"instance-only", "legacy: everything is given", "", "", R"({"a":1})", R"({"a":1})", R"({"/a":"Instance"})"},
      {"order", "class < plan < instance", R"({"a":1,"b":1,"c":1})", R"({"b":2,"c":2})", R"({"c":3})",
       R"({"a":1,"b":2,"c":3})", R"({"/a":"Class","/b":"Plan","/c":"Instance"})"},
      {"same-value", "who says it last, says it", R"({"a":1})", "", R"({"a":1})", R"({"a":1})", R"({"/a":"Instance"})"},
      {"deep", "objects merge member by member", R"({"o":{"x":1,"y":{"z":1}}})", R"({"o":{"y":{"w":2}}})",
       R"({"o":{"x":3}})", R"({"o":{"x":3,"y":{"w":2,"z":1}}})",
       R"({"/o/x":"Instance","/o/y/w":"Plan","/o/y/z":"Class"})"},
      {"list", "lists are replaced whole", R"({"l":[1,2,{"a":1}]})", "", R"({"l":[{"b":2}]})", R"({"l":[{"b":2}]})",
       R"({"/l":"Instance"})"},
      {"null", "null removes", R"({"a":1,"b":1})", "", R"({"a":null})", R"({"b":1})", R"({"/b":"Class"})"},
      {"null-of-plan", "a plan may remove what its class sets", R"({"a":1})", R"({"a":null})", "", "{}", "{}"},
      {"null-then-set", "and the instance sets it again", R"({"a":{"x":1}})", R"({"a":null})", R"({"a":{"y":2}})",
       R"({"a":{"y":2}})", R"({"/a/y":"Instance"})"},
      {"null-alone", "nothing below: still not in the result", "", "", R"({"a":null,"b":{"c":null}})", R"({"b":{}})",
       R"({"/b":"Instance"})"},
      {"null-in-list", "in a list it is a value", "", "", R"({"a":[null]})", R"({"a":[null]})", R"({"/a":"Instance"})"},
      {"emptied", "the layer that emptied it", R"({"o":{"x":1}})", "", R"({"o":{"x":null}})", R"({"o":{}})",
       R"({"/o":"Instance"})"},
      {"empty-object", "an empty object adds nothing to a full one", R"({"o":{"x":1}})", R"({"o":{}})", "",
       R"({"o":{"x":1}})", R"({"/o/x":"Class"})"},
      {"object-over-scalar", "types may change", R"({"a":1})", R"({"a":{"x":1}})", "", R"({"a":{"x":1}})",
       R"({"/a/x":"Plan"})"},
      {"scalar-over-object", "types may change", R"({"a":{"x":1,"y":2}})", "", R"({"a":"s"})", R"({"a":"s"})",
       R"({"/a":"Instance"})"},
      {"pointer", "pointers are escaped", R"({"a/b":{"c~d":1}})", "", "", R"({"a/b":{"c~d":1}})",
       R"({"/a~1b/c~0d":"Class"})"},
      {"empty-key", "an empty key is a key", "", R"({"":1})", "", R"({"":1})", R"({"/":"Plan"})"},
  };
  for (const Row& row : rows) {
    const json::Value of_class = doc(row.of_class), of_plan = doc(row.of_plan), of_instance = doc(row.of_instance);
    const ParameterLayer layers[] = {{"Class", &of_class}, {"Plan", &of_plan}, {"Instance", &of_instance}};
    const auto merged = merge_parameters(layers);
    ASSERT_TRUE(merged.ok()) << row.name << ": " << merged.error().message;
    EXPECT_EQ(json::write(merged->value), row.want) << row.name << ": " << row.reason;
    EXPECT_EQ(json::write(sources_of(*merged)), row.sources) << row.name << ": " << row.reason;
    const auto defaults = merge_parameters(std::span(layers).first(2));
    EXPECT_EQ(json::write(merged->defaults), json::write(defaults->value)) << row.name << ": defaults alone";
  }
}

TEST(MergeParameters, KeysGivenBySecretsSuppressTheirDefaults) {
  const json::Value of_class = doc(R"({"password":"x","user":{"a":1},"size":1})");
  const json::Value of_instance = doc(R"({"size":2})");
  const ParameterLayer layers[] = {{"Class", &of_class}, {"Plan"}, {"Instance", &of_instance}};
  const auto merged = merge_parameters(layers, {"password", "user"});
  EXPECT_EQ(json::write(merged->value), R"({"size":2})");
  EXPECT_EQ(json::write(merged->defaults), R"({"size":1})");
  const json::Value nested = doc(R"({"o":{"password":"y"}})");
  const ParameterLayer inner[] = {{"Class", &nested}, {"Instance"}};
  EXPECT_EQ(json::write(merge_parameters(inner, {"password"})->value), R"({"o":{"password":"y"}})") << "top level only";
}

TEST(MergeParameters, BoundsAreErrorsThatNameThePlace) {
  std::string deep = "1";
  for (int i = 0; i < 33; ++i) deep = R"({"k":)" + deep + "}";
  const json::Value too_deep = doc(deep);
  const json::Value fine = json::find(too_deep, "k") != nullptr ? *json::find(too_deep, "k") : json::Value();
  const ParameterLayer deep_layers[] = {{"Plan", &too_deep}};
  const auto refused = merge_parameters(deep_layers);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message,
              HasSubstr("the parameters of the Plan have more than 32 levels, reached at \"/k/k/"));
  const ParameterLayer fine_layers[] = {{"Plan", &fine}};
  EXPECT_TRUE(merge_parameters(fine_layers).ok()) << "32 levels are fine";

  const json::Value secret = doc(R"({"a":{"b":"hunter2hunter2"}})");
  const ParameterLayer long_layers[] = {{"Instance", &secret}};
  ParameterBounds bounds;
  bounds.max_bytes = 10;
  const auto too_long = merge_parameters(long_layers, {}, bounds);
  ASSERT_FALSE(too_long.ok());
  EXPECT_THAT(too_long.error().message, HasSubstr("\"/a/b\""));
  EXPECT_THAT(too_long.error().message, Not(HasSubstr("hunter2")));

  const json::Value many = doc(R"({"a":[1,2,3,4,5]})");
  const ParameterLayer many_layers[] = {{"Instance", &many}};
  bounds = {};
  bounds.max_values = 5;
  EXPECT_THAT(merge_parameters(many_layers, {}, bounds).error().message, HasSubstr("more than 5 values"));
}

TEST(MergeParameters, ALayerIsAnObject) {
  const json::Value text = "hunter2";
  const ParameterLayer layers[] = {{"Plan", &text}, {"Instance"}};
  const auto refused = merge_parameters(layers);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "the parameters of the Plan must be an object, not string");
}

TEST(MergeParameters, NoLayersGiveNothing) {
  const auto merged = merge_parameters({});
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(json::write(merged->value), "{}");
  EXPECT_TRUE(merged->sources.empty());
}

}  // namespace
}  // namespace chandler::resolve
