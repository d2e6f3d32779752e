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
    EXPECT_EQ(matches(row.rule, wish(user, row.wish)), row.want);
  }
}

TEST(Rule, WhatIsMissing) {
  struct Row {
    std::string name;
    std::string reason;
    std::vector<Rule> owned;
    std::vector<Rule> wanted;
    std::vector<Rule> want;
  };
  const Rule pods_get{{"get"}, {""}, {"pods"}, {}, {}};
  const Rule pods_list{{"list"}, {""}, {"pods"}, {}, {}};
  const Rule pods_both{{"get", "list"}, {""}, {"pods"}, {}, {}};
  const Rule two{{"get"}, {"", "apps"}, {"pods", "deployments"}, {}, {}};
  const Rule named_a{{"get"}, {""}, {"pods"}, {"a"}, {}};
  const Rule named_ab{{"get"}, {""}, {"pods"}, {"a", "b"}, {}};
  const Rule everything = full_authority()[0];
  const std::vector<Row> rows = {
      {"same", "one holds what one holds", {pods_both}, {pods_both}, {}},
      {"nothing wanted", "nothing takes nothing", {}, {}, {}},
      {"empty rule", "a rule without content grants nothing", {}, {Rule{}}, {}},
      {"from two rules", "rights may come from several rules", {pods_get, pods_list}, {pods_both}, {}},
      {"one verb", "only what misses is told", {pods_get}, {pods_both}, {pods_list}},
      {"nothing held", "verbs stay together", {}, {pods_both}, {pods_both}},
      {"cross product",
       "each group with each resource",
       {{{"get"}, {""}, {"pods", "deployments"}, {}, {}}},
       {two},
       {{{"get"}, {"apps"}, {"pods"}, {}, {}}, {{"get"}, {"apps"}, {"deployments"}, {}, {}}}},
      {"star covers", "who holds all may grant all", {everything}, {two, everything, named_ab}, {}},
      {"star wanted", "a star is more than any list", {two}, {everything}, {everything}},
      {"resource star", "covers subresources", {everything}, {{{"get"}, {""}, {"pods/log"}, {}, {}}}, {}},
      {"subresource star",
       "covers that subresource",
       {{{"get"}, {""}, {"*/scale"}, {}, {}}},
       {{{"get"}, {""}, {"pods/scale"}, {}, {}}},
       {}},
      {"subresource star wanted",
       "a list of some does not cover all",
       {{{"get"}, {""}, {"pods/scale"}, {}, {}}},
       {{{"get"}, {""}, {"*/scale"}, {}, {}}},
       {{{"get"}, {""}, {"*/scale"}, {}, {}}}},
      {"names", "all names cover one", {pods_get}, {named_a}, {}},
      {"names from two",
       "each name may come from another rule",
       {named_a, {{"get"}, {""}, {"pods"}, {"b"}, {}}},
       {named_ab},
       {}},
      {"one name misses", "only that is told", {named_a}, {named_ab}, {{{"get"}, {""}, {"pods"}, {"b"}, {}}}},
      {"names do not make all", "some names are less than all", {named_ab}, {pods_get}, {pods_get}},
      {"url",
       "a prefix covers what is below",
       {{{"get"}, {}, {}, {}, {"/a/*"}}},
       {{{"get"}, {}, {}, {}, {"/a/b", "/a/c/*"}}},
       {}},
      {"url misses",
       "only that is told",
       {{{"get"}, {}, {}, {}, {"/a"}}},
       {{{"get", "put"}, {}, {}, {}, {"/a", "/b"}}},
       {{{"put"}, {}, {}, {}, {"/a"}}, {{"get", "put"}, {}, {}, {}, {"/b"}}}},
      {"url star",
       "not covered by prefixes",
       {{{"get"}, {}, {}, {}, {"/*"}}},
       {{{"get"}, {}, {}, {}, {"*"}}},
       {{{"get"}, {}, {}, {}, {"*"}}}},
      {"resources hold no urls",
       "they are different things",
       {everything},
       {{{"get"}, {}, {}, {}, {"/a"}}},
       {{{"get"}, {}, {}, {}, {"/a"}}}},
      {"both in one",
       "a rule that mixes both needs both",
       {full_authority()[1]},
       {{{"get"}, {""}, {"pods"}, {}, {"/a"}}},
       {pods_get}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto got = missing_rules(row.owned, row.wanted);
    std::string shown;
    for (const auto& rule : got) shown += describe(rule) + " ";
    EXPECT_EQ(got, row.want) << shown;
  }
}

TEST(Rule, AHugeRuleIsNotTakenApart) {
  Rule huge;
  for (int i = 0; i < 300; ++i) {
    huge.verbs.push_back("v" + std::to_string(i));
    huge.groups.push_back("g" + std::to_string(i));
    huge.resources.push_back("r" + std::to_string(i));
  }
  EXPECT_EQ(missing_rules({}, {huge}), std::vector<Rule>{huge});
  EXPECT_TRUE(missing_rules(full_authority(), {huge}).empty());
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
                             [&](const Rule& rule) { return matches(rule, wish(user, "get core/pods")); }));
  }
}

TEST(Rule, DescribesItself) {
  EXPECT_EQ(describe({{"get", "list"}, {""}, {"secrets"}, {"a"}, {}}),
            R"({verbs: ["get", "list"], apiGroups: [""], resources: ["secrets"], resourceNames: ["a"]})");
  EXPECT_EQ(describe({{"get"}, {}, {}, {}, {"/x"}}), R"({verbs: ["get"], nonResourceURLs: ["/x"]})");
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
