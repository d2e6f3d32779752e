#include "auth/rule.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "json/reader.h"

namespace chandler::auth {
namespace {

using Texts = std::vector<std::string>;

// "get pods", "get apps/deployments/status d" (group/resource/subresource name) or "get /path".
Attributes wish(const User& user, std::string_view text) {
  Attributes a;
  a.user = &user;
  const auto words = split(text, ' ');
  a.verb = words[0];
  if (words[1][0] == '/') {
    a.is_resource = false;
    a.path = words[1];
    return a;
  }
  const auto parts = split(words[1], '/');
  a.group = parts[0] == "core" ? "" : parts[0];
  a.resource = parts[1];
  if (parts.size() > 2) a.subresource = parts[2];
  if (words.size() > 2) a.name = words[2];
  return a;
}

TEST(Rule, Matches) {
  struct Row {
    std::string name;
    std::string reason;
    Rule rule;
    std::string wish;
    bool want;
  };
  const Rule pods{{"get", "list"}, {""}, {"pods"}, {}, {}};
  const Rule named{{"get", "create", "list"}, {""}, {"pods"}, {"a"}, {}};
  const Rule everything{{"*"}, {"*"}, {"*"}, {}, {}};
  const std::vector<Row> rows = {
      {"exact", "verb, group and resource agree", pods, "get core/pods", true},
      {"other verb", "watch is not list", pods, "watch core/pods", false},
      {"other group", "the group counts", pods, "get apps/pods", false},
      {"other resource", "the resource counts", pods, "get core/secrets", false},
      {"subresource", "a resource does not include its subresources", pods, "get core/pods/log", false},
      {"path", "a rule for resources allows no path", everything, "get /metrics", false},
      {"all", "the star covers every resource", everything, "delete apps/deployments", true},
      {"all, subresource", "the star covers subresources too", everything, "get core/pods/log", true},
      {"verb star", "all verbs", {{"*"}, {""}, {"pods"}, {}, {}}, "frobnicate core/pods", true},
      {"subresource exact", "named in full", {{"get"}, {""}, {"pods/log"}, {}, {}}, "get core/pods/log", true},
      {"subresource only",
       "the subresource does not include the resource",
       {{"get"}, {""}, {"pods/log"}, {}, {}},
       "get core/pods",
       false},
      {"star subresource",
       "of any resource",
       {{"get"}, {"*"}, {"*/scale"}, {}, {}},
       "get apps/deployments/scale",
       true},
      {"star other subresource", "only that one", {{"get"}, {"*"}, {"*/scale"}, {}, {}}, "get core/pods/log", false},
      {"star subresource, resource",
       "not the resource itself",
       {{"get"}, {"*"}, {"*/scale"}, {}, {}},
       "get apps/deployments",
       false},
      {"no partial star", "only whole parts are wild", {{"get"}, {""}, {"pod*"}, {}, {}}, "get core/pods", false},
      {"name", "the named object", named, "get core/pods a", true},
      {"other name", "not the others", named, "get core/pods b", false},
      {"create", "what has no name yet is not named", named, "create core/pods", false},
      {"list", "a list is not limited to a name", named, "list core/pods", false},
      {"url exact", "the very path", {{"get"}, {}, {}, {}, {"/healthz"}}, "get /healthz", true},
      {"url below",
       "an exact path covers nothing below",
       {{"get"}, {}, {}, {}, {"/healthz"}},
       "get /healthz/etcd",
       false},
      {"url prefix", "a star at the end", {{"get"}, {}, {}, {}, {"/healthz/*"}}, "get /healthz/etcd", true},
      {"url prefix, parent", "the prefix has the slash", {{"get"}, {}, {}, {}, {"/healthz/*"}}, "get /healthz", false},
      {"url star", "all paths", {{"get"}, {}, {}, {}, {"*"}}, "get /metrics", true},
      {"url inner star", "a star counts only at the end", {{"get"}, {}, {}, {}, {"/a/*/c"}}, "get /a/b/c", false},
      {"url verb", "the verb counts for paths too", {{"get"}, {}, {}, {}, {"*"}}, "post /metrics", false},
      {"empty rule", "nothing is granted by nothing", {}, "get core/pods", false},
  };
  const User user;
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    EXPECT_EQ(RuleMatch(wish(user, row.wish)).matches(row.rule), row.want);
  }
}

TEST(Rule, IsReadFromARole) {
  const auto role = json::parse(R"({"rules": [
      {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"], "resourceNames": ["a"]},
      {"verbs": ["get"], "nonResourceURLs": ["/healthz"]}]})");
  EXPECT_EQ(rules_of(*role),
            (std::vector<Rule>{{{"get"}, {""}, {"pods"}, {"a"}, {}}, {{"get"}, {}, {}, {}, {"/healthz"}}}));
}

TEST(Rule, ThatCannotBeReadGrantsNothing) {
  const User user;
  for (const auto* text :
       {R"({})", R"({"rules": 5})", R"({"rules": [7]})", R"({"rules": [{"verbs": "*"}]})",
        R"({"rules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "resourceNames": 5}]})",
        R"({"rules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "resourceNames": [5]}]})"}) {
    SCOPED_TRACE(text);
    const auto rules = rules_of(*json::parse(text));
    EXPECT_TRUE(std::none_of(rules.begin(), rules.end(),
                             [&](const Rule& rule) { return RuleMatch(wish(user, "get core/pods")).matches(rule); }));
  }
}

TEST(Rule, DescribesItself) {
  EXPECT_EQ(describe({{"get", "list"}, {""}, {"secrets"}, {"a"}, {}}),
            R"({verbs: ["get", "list"], apiGroups: [""], resources: ["secrets"], resourceNames: ["a"]})");
  EXPECT_EQ(describe({{"get"}, {}, {}, {}, {"/x"}}), R"({verbs: ["get"], nonResourceURLs: ["/x"]})");
  EXPECT_EQ(describe({{"get"}, {}, {}, {}, {"/x"}}, 3), R"({verbs: ["get", and 3 more], nonResourceURLs: ["/x"]})");
  EXPECT_EQ(describe({{std::string(1'000, 'v')}, {}, {}, {}, {}}), "{verbs: [\"" + std::string(100, 'v') + "...\"]}");
  EXPECT_EQ(describe({{std::string(99, 'v') + "\xC3\xBC"}, {}, {}, {}, {}}),
            "{verbs: [\"" + std::string(99, 'v') + "...\"]}");  // not inside a character
}

TEST(Attributes, DenialNamesUserVerbAndPlace) {
  User user;
  user.name = "u";
  auto a = wish(user, "get core/pods");
  EXPECT_EQ(denial(a), R"(User "u" cannot get resource "pods" in API group "" at the cluster scope)");
  a.namespace_ = "x";
  EXPECT_EQ(denial(a), R"(User "u" cannot get resource "pods" in API group "" in the namespace "x")");
  a = wish(user, "patch apps/deployments/status d");
  a.namespace_ = "x";
  EXPECT_EQ(denial(a),
            R"(User "u" cannot patch resource "deployments/status" in API group "apps" in the namespace "x")");
  EXPECT_EQ(denial(wish(user, "get /x")), R"(User "u" cannot get path "/x")");
}

}  // namespace
}  // namespace chandler::auth
