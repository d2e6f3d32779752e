#include "reconcilers/claim/redaction.h"

#include <gtest/gtest.h>

#include "json/yaml.h"

namespace chandler::reconcilers::claims {
namespace {

TEST(Redaction, LeavesPathsAndReasonsButNoValues) {
  const std::string cut = "spec.key: Invalid value: \"" + std::string(256, 'x') + "...: too long";
  const struct {
    std::string_view why, parameters, message, expected;
  } rows[] = {
      {"nothing to hide", "{tier: gold}", "forbidden: may not create servers", "forbidden: may not create servers"},
      {"a quoted value", "{tier: g}", R"(spec.tier: Invalid value: "g": must be gold)",
       "spec.tier: Invalid value: (not shown): must be gold"},
      {"quotes and colons within", "{}", R"(spec.a: Invalid value: "x\": y": is bad)",
       "spec.a: Invalid value: (not shown): is bad"},
      {"a number", "{size: '5'}", "spec.size: Invalid value: 5: must be at least 10",
       "spec.size: Invalid value: (not shown): must be at least 10"},
      {"an object", "{}", R"(spec.o: Invalid value: {"a":"b, c: d"}: is bad)",
       "spec.o: Invalid value: (not shown): is bad"},
      {"several", "{}", R"([spec.a: Invalid value: "k", spec.b: Unsupported value: "q": supported values: "r", "s"])",
       R"([spec.a: Invalid value: (not shown), spec.b: Unsupported value: (not shown): supported values: "r", "s"])"},
      {"what is missing has no value", "{}", "spec.a: Required value: give one", "spec.a: Required value: give one"},
      {"said in words of its own", "{key: hunter2}", "webhook denied: hunter2 is known to everybody",
       "webhook denied: (not shown) is known to everybody"},
      {"a part of a parameter", R"({auth: '{"token":"hunter2","n":1}'})", "token hunter2 is weak",
       "token (not shown) is weak"},
      {"one within another", "{a: hunter2, b: hunter2000}", "hunter2000 and hunter2", "(not shown) and (not shown)"},
      {"short words are in every sentence", "{a: is}", "this is wrong", "this is wrong"},
      {"cut off", "{}", cut, "spec.key: Invalid value: (not shown)"},
      {"no class any more", "null", R"(a: Duplicate value: "b")", "a: Duplicate value: (not shown)"},
  };
  for (const auto& row : rows) {
    const auto parameters = json::parse_yaml(row.parameters);
    ASSERT_TRUE(parameters.ok()) << row.why;
    EXPECT_EQ(without_values(row.message, *parameters), row.expected) << row.why;
  }
}

}  // namespace
}  // namespace chandler::reconcilers::claims
