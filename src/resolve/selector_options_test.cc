#include "resolve/selector_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"
#include "json/yaml.h"
#include "support/source_path.h"

namespace chandler::resolve {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string seed(const std::string& name) {
  const auto path = chandler::testing::source_path("tests/golden/seeds") / name;
  return read_file(path.string()).value();
}

json::Value yaml(std::string_view text) { return json::parse_yaml(text).value(); }

std::vector<std::string> faults(const json::Value& storage_class) {
  meta::FieldErrors errors;
  check_selector_options(storage_class, errors);
  std::vector<std::string> out;
  for (const auto& cause : errors.causes()) out.push_back(cause.field + " " + cause.reason);
  return out;
}

TEST(SelectorOptions, TheSeedsClassIsShownAsTheSeedShowsIt) {
  const auto options = read_selector_options(yaml(seed("004-01-class-with-three-options.yaml")));
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(describe_selector_options(*options), seed("004-04-describe.txt"));
}

TEST(SelectorOptions, FieldAndAnnotationMeanTheSame) {
  const auto field = yaml(
      "{selectorOptions: [{key: a, defaultValue: '', required: false, allowedValues: ['', x], description: d}, {key: "
      "b, required: true}]}");
  const auto annotation = yaml(
      R"({metadata: {annotations: {storage.chandler.io/selector-options:
          '[{"key":"a","defaultValue":"","allowedValues":["","x"],"description":"d"},{"key":"b","required":true}]'}}})");
  ASSERT_TRUE(read_selector_options(annotation).ok());
  EXPECT_EQ(*read_selector_options(field), *read_selector_options(annotation));
  EXPECT_EQ(read_selector_options(field)->at(0).default_value, "");
  EXPECT_EQ(read_selector_options(field)->at(1).default_value, std::nullopt);
  EXPECT_THAT(faults(field), IsEmpty());
  EXPECT_THAT(faults(annotation), IsEmpty());
}

struct Row {
  std::string_view name, reason, storage_class;
  std::vector<std::string> faults;
};

TEST(SelectorOptions, FaultsAreFoundWithTheirPaths) {
  const std::string annotation = "metadata.annotations[storage.chandler.io/selector-options]";
  const Row rows[] = {
      {"bad key",
       "no label can have it",
       "{selectorOptions: [{key: 'a b'}]}",
       {"selectorOptions[0].key FieldValueInvalid"}},
      {"twice",
       "one key, one meaning",
       "{selectorOptions: [{key: a}, {key: a}]}",
       {"selectorOptions[1].key FieldValueDuplicate"}},
      {"bad value",
       "no label can have it",
       "{selectorOptions: [{key: a, allowedValues: ['x/y']}]}",
       {"selectorOptions[0].allowedValues[0] FieldValueInvalid"}},
      {"value twice",
       "a slip of the pen",
       "{selectorOptions: [{key: a, allowedValues: [x, x]}]}",
       {"selectorOptions[0].allowedValues[1] FieldValueDuplicate"}},
      {"default outside",
       "every claim without the key would fail",
       "{selectorOptions: [{key: a, defaultValue: z, allowedValues: [x]}]}",
       {"selectorOptions[0].defaultValue FieldValueInvalid"}},
      {"required with default",
       "contradicts itself",
       "{selectorOptions: [{key: a, defaultValue: z, required: true}]}",
       {"selectorOptions[0].defaultValue FieldValueForbidden"}},
      {"no JSON",
       "the annotation is only text",
       "{metadata: {annotations: {storage.chandler.io/selector-options: '['}}}",
       {annotation + " FieldValueInvalid"}},
      {"wrong type",
       "no schema looks at the annotation",
       R"({metadata: {annotations: {storage.chandler.io/selector-options: '[{"key": "a", "required": "yes"}]'}}})",
       {annotation + " FieldValueInvalid"}},
      {"unknown member",
       "a typo would be silent",
       R"({metadata: {annotations: {storage.chandler.io/selector-options: '[{"key": "a", "default": "yes"}]'}}})",
       {annotation + " FieldValueInvalid"}},
      {"both, different",
       "which one counts?",
       R"({selectorOptions: [{key: b}], metadata: {annotations:
           {storage.chandler.io/selector-options: '[{"key": "a"}]'}}})",
       {annotation + " FieldValueInvalid"}},
      {"both, equal",
       "they say the same",
       R"({selectorOptions: [{key: a}], metadata: {annotations:
           {storage.chandler.io/selector-options: '[{"key": "a"}]'}}})",
       {}},
      {"fault in annotation",
       "found where it stands",
       R"({metadata: {annotations: {storage.chandler.io/selector-options: '[{"key": "a b"}]'}}})",
       {annotation + "[0].key FieldValueInvalid"}},
  };
  for (const auto& row : rows) EXPECT_EQ(faults(yaml(row.storage_class)), row.faults) << row.name << ": " << row.reason;
}

TEST(SelectorOptions, WhatIsShownCannotForgeLinesOrDriveTheTerminal) {
  const std::vector<SelectorOption> options = {
      {.key = "zone",
       .default_value = "a",
       .required = false,
       .allowed_values = {},
       .description = "One.\nSee\thttp://x\x1b[2J\xc2\x9b\r"},
      {.key = "tier", .default_value = {}, .required = true, .allowed_values = {}, .description = "IOPS class"}};
  EXPECT_EQ(describe_selector_options(options),
            "    zone\n"
            "      - one.\n"
            "        See\\x09http://x\\x1b[2J\\u009b\n"
            "      - default: a\n"
            "\n"
            "    tier (required)\n"
            "      - IOPS class\n"
            "\n");
  EXPECT_EQ(describe_selector_options({}), "");
}

}  // namespace
}  // namespace chandler::resolve
