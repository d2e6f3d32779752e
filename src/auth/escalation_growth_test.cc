// The check of escalation costs in proportion to the role that is written and the rules that the user holds, whatever
// their shape.
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "auth/escalation.h"
#include "support/growth.h"

namespace chandler::auth {
namespace {

using Rules = std::vector<Rule>;
using Texts = std::vector<std::string>;

const User kJane{"jane", "", {"dev"}, {}};

Texts texts(std::string_view prefix, size_t count) {
  Texts out;
  for (size_t i = 0; i < count; ++i) out.push_back(std::string(prefix) + std::to_string(i));
  return out;
}

// One rule per text.
Rules each(const Texts& list, const std::function<Rule(const std::string& text)>& make) {
  Rules rules;
  for (const auto& text : list) rules.push_back(make(text));
  return rules;
}

json::Value list_of(const Texts& list) { return json::Array(list.begin(), list.end()); }

json::Value role_of(std::string_view name, const Rules& rules) {
  json::Array list;
  for (const auto& rule : rules) {
    list.push_back(json::Object{{"verbs", list_of(rule.verbs)},
                                {"apiGroups", list_of(rule.groups)},
                                {"resources", list_of(rule.resources)},
                                {"resourceNames", list_of(rule.names)},
                                {"nonResourceURLs", list_of(rule.urls)}});
  }
  return json::Object{{"kind", "ClusterRole"}, {"metadata", json::Object{{"name", name}}}, {"rules", std::move(list)}};
}

Policy policy_with(const Rules& owned) {
  Policy policy;
  policy.apply(role_of("own", owned));
  policy.apply(json::Object{
      {"kind", "ClusterRoleBinding"},
      {"metadata", json::Object{{"name", "own"}}},
      {"roleRef", json::Object{{"kind", "ClusterRole"}, {"name", "own"}}},
      {"subjects", json::Array{json::Object{{"kind", "User"}, {"name", "jane"}}}},
  });
  return policy;
}

TEST(RoleEscalation, CostsInProportionToRoles) {
  struct Row {
    std::string name;
    std::string reason;
    std::function<Rules(size_t)> owned;
    std::function<Rules(size_t)> wanted;
    bool want;
  };
  const auto nothing = [](size_t) { return Rules{}; };
  const auto of_resources = [](const Texts& verbs) {
    return [verbs](size_t n) {
      return each(texts("r", n), [&](const std::string& text) { return Rule{verbs, {""}, {text}, {}, {}}; });
    };
  };
  const auto of_names = [](const Texts& verbs) {
    return [verbs](size_t n) {
      return each(texts("n", n), [&](const std::string& text) { return Rule{verbs, {""}, {"pods"}, {text}, {}}; });
    };
  };
  const auto of_urls = [](const Texts& verbs, const std::string& end) {
    return [verbs, end](size_t n) {
      return each(texts("/u", n), [&](const std::string& text) { return Rule{verbs, {}, {}, {}, {text + end}}; });
    };
  };
  const auto verbs = [](size_t n) { return Rules{{texts("v", n), {""}, {"pods"}, {}, {}}}; };
  const auto groups = [](size_t n) { return Rules{{{"get"}, texts("g", n), {"pods"}, {}, {}}}; };
  const auto resources = [](size_t n) { return Rules{{{"get", "list"}, {""}, texts("r", n), {}, {}}}; };
  const auto names = [](size_t n) { return Rules{{{"get"}, {""}, {"pods"}, texts("n", n), {}}}; };
  const auto urls = [](size_t n) { return Rules{{{"get", "put"}, {}, {}, {}, texts("/u", n)}}; };
  const auto nested_urls = [](size_t n) {
    Rules rules;
    for (size_t length = 1; rules.size() < n; length = length % 100 + 1) {
      rules.push_back({{"get"}, {}, {}, {}, {"/" + std::string(length, 'a') + "*"}});
    }
    return rules;
  };
  const auto product = [](size_t n) { return Rules{{texts("v", n), texts("g", n), texts("r", n), texts("n", n), {}}}; };
  const auto by_verb = [](size_t n) {
    return each(texts("v", n), [](const std::string& text) { return Rule{{text}, {"*"}, {"*"}, {}, {}}; });
  };
  // Each group, resource and name of the wanted rule is held by rules of its own.
  const auto by_part = [](size_t n) {
    Rules rules;
    for (size_t i = 0; i < n; ++i) {
      const auto number = std::to_string(i);
      rules.push_back({{"get"}, {"g" + number}, {"x"}, {"x"}, {}});
      rules.push_back({{"get"}, {"x"}, {"r" + number}, {"x"}, {}});
      rules.push_back({{"get"}, {"x"}, {"x"}, {"n" + number}, {}});
    }
    return rules;
  };
  const auto without_verbs = [](size_t n) { return Rules{{{}, texts("g", n), texts("r", n), texts("n", n), {}}}; };
  constexpr size_t kLongGroup = 250;  // the longest stays below the size from which malloc() maps each block again
  const auto with_long_group = [](size_t n) {
    return Rules{{{"get"}, {std::string(kLongGroup * n, 'g')}, texts("r", 20), texts("n", n), {}}};
  };
  // Prefixes of one another, and all of them prefixes of each wanted URL.
  constexpr size_t kLong = 3'000;
  const auto long_prefixes = [](size_t n) {
    Rules rules;
    for (size_t i = 0; i < n; ++i) rules.push_back({{"get"}, {}, {}, {}, {"/" + std::string(kLong - i, 'a') + "*"}});
    return rules;
  };
  const auto long_urls = [](size_t n) { return Rules{{{"get"}, {}, {}, {}, texts("/" + std::string(kLong, 'a'), n)}}; };
  const auto products = [](size_t n) {
    return each(texts("x", n), [](const std::string& text) {
      return Rule{texts(text, 20), texts(text, 20), texts(text, 20), {}, {}};
    });
  };
  const auto halves = [](size_t n) {
    return Rules{{texts("v", n), {""}, texts("r", n / 2), {}, {}}, {{"v0"}, {"", "apps"}, texts("r", n), {}, {}}};
  };
  const std::vector<Row> rows = {
      {"rules", "a user without rights", nothing, of_resources({"get", "list"}), false},
      {"rules, one held", "the rule held is no part of the role", verbs, of_resources({"get"}), false},
      {"rules, same", "the same role again", of_resources({"get"}), of_resources({"get"}), true},
      {"rules, more verbs held", "each rule has its own", of_resources({"get", "list"}), of_resources({"get"}), true},
      {"rules, less verbs held", "each rule misses", of_resources({"get"}), of_resources({"get", "list"}), false},
      {"names apart", "a rule per name", of_names({"get", "list"}), of_names({"get"}), true},
      {"names apart, missing", "a rule per name", of_names({"get"}), of_names({"list"}), false},
      {"verbs", "many in one rule", verbs, verbs, true},
      {"verbs, missing", "none held", nothing, verbs, false},
      {"verbs, other held", "as many held", verbs, halves, false},
      {"groups", "many in one rule", groups, groups, true},
      {"groups, missing", "none held", resources, groups, false},
      {"resources", "many in one rule", resources, resources, true},
      {"resources, one by one", "held by a rule each", of_resources({"get", "list"}), resources, true},
      {"resources, missing", "some held", of_resources({"get"}), resources, false},
      {"resources into rules", "held by one rule", resources, of_resources({"get"}), true},
      {"names", "many in one rule", names, names, true},
      {"names, one by one", "held by a rule each", of_names({"get"}), names, true},
      {"names, missing", "none held", nothing, names, false},
      {"urls", "many in one rule", urls, urls, true},
      {"urls, one by one", "held by a rule each", of_urls({"get", "put"}, ""), urls, true},
      {"urls, prefixes", "held by prefixes", of_urls({"get", "put"}, "*"), urls, true},
      {"urls, missing", "held with another verb", of_urls({"get"}, "*"), urls, false},
      {"urls, nested", "one prefix within the other", nested_urls, nested_urls, true},
      {"urls, nested and long", "a URL is compared once with all prefixes of a chain", long_prefixes, long_urls, true},
      {"no verbs", "without a verb there is nothing to grant, however the rest combines", by_part, without_verbs, true},
      {"long group, missing", "the text is not copied for each resource and name", by_part, with_long_group, false},
      {"product", "held by one rule", product, product, true},
      {"product, missing", "n to the fourth permissions, and none is held", nothing, product, false},
      {"product, by verb", "one rule held for each verb", by_verb, product, true},
      {"products", "each would be taken apart into thousands", nothing, products, false},
      {"halves", "rights from two rules", halves, halves, true},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    EXPECT_TRUE(testing::is_linear(400, [&](size_t size) -> testing::Growth::Work {
      auto policy = std::make_shared<Policy>(policy_with(row.owned(size)));
      auto role = std::make_shared<json::Value>(role_of("new", row.wanted(size)));
      EXPECT_EQ(check_role_escalation(*policy, kJane, *role, nullptr).ok(), row.want);
      return [policy, role] { (void)check_role_escalation(*policy, kJane, *role, nullptr); };
    }));
  }
}

}  // namespace
}  // namespace chandler::auth
