#include "admission/match_condition.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "admission/rule_rows.h"

namespace chandler::admission {
namespace {

std::string compiled(std::string_view expression) {
  meta::Patterns patterns;
  const auto condition = MatchCondition::compile(expression, patterns);
  return condition.ok() ? "" : condition.error();
}

TEST(MatchCondition, MustCompileToATruth) {
  EXPECT_EQ(compiled("object.metadata.name == 'a'"), "");
  EXPECT_EQ(compiled("has(object.metadata.labels)"), "");
  EXPECT_EQ(compiled("request.dryRun"), "") << "known only when it is evaluated";
  EXPECT_EQ(compiled("1 + 1"), "must evaluate to bool");
  EXPECT_NE(compiled("nobody.knows"), "");
  EXPECT_NE(compiled("object."), "");
  EXPECT_NE(compiled(""), "");
}

TEST(MatchCondition, SeesTheWrite) {
  const auto object = document(R"({"metadata":{"name":"a","labels":{"app":"shop"}},"spec":{"replicas":3}})");
  const auto request = document(R"({"operation":"CREATE","userInfo":{"username":"jane","groups":["devs"]}})");
  struct Row {
    const char* expression;
    const char* want;  // true, false, or the beginning of why not
  };
  const std::vector<Row> rows = {
      {"object.metadata.labels.app == 'shop'", "true"},
      {"object.spec.replicas > 5", "false"},
      {"request.userInfo.username == 'jane' && 'devs' in request.userInfo.groups", "true"},
      {"!request.userInfo.groups.exists(g, g == 'system:nodes')", "true"},
      {"oldObject == null", "true"},
      {"object.metadata.nothing == 'x'", "no such key"},
      {"object.metadata.name", "the condition is neither true nor false"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.expression);
    meta::Patterns patterns;
    const auto condition = MatchCondition::compile(row.expression, patterns);
    ASSERT_TRUE(condition.ok()) << condition.error();
    uint64_t budget = MatchCondition::kBudget;
    const auto holds = (*condition)->holds(object, json::Value(), request, budget);
    const std::string got = holds.ok() ? (*holds ? "true" : "false") : holds.error();
    EXPECT_TRUE(got.starts_with(row.want)) << got;
  }
}

TEST(MatchCondition, AllOfAWebhookShareABudget) {
  meta::Patterns patterns;
  const auto condition = MatchCondition::compile("[1, 2, 3, 4].all(x, x > 0)", patterns);
  ASSERT_TRUE(condition.ok()) << condition.error();
  uint64_t budget = 100;
  std::string fault;
  int answers = 0;
  for (; answers < 100 && fault.empty(); ++answers) {
    const auto holds = (*condition)->holds(json::Value(), json::Value(), json::Value(), budget);
    if (!holds.ok()) fault = holds.error();
  }
  EXPECT_GT(answers, 1) << "once is within the budget";
  EXPECT_NE(fault.find("costs too much"), std::string::npos) << fault;
  EXPECT_EQ(budget, 0u);
}

TEST(MatchCondition, RegularExpressionsOfADocumentAreBounded) {
  meta::Patterns patterns;
  size_t compiled = 0;
  for (int i = 0; i < 1'000; ++i) {
    compiled += MatchCondition::compile(fmt::format("object.a.matches('[^a]{{1000}}{}')", i), patterns).ok() ? 1 : 0;
  }
  EXPECT_GT(compiled, 100U);
  EXPECT_LT(compiled, 300U);
}

}  // namespace
}  // namespace chandler::admission
