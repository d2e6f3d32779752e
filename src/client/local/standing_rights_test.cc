#include "client/local/standing_rights.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "registry/registry_fixture.h"

namespace chandler::client {
namespace {

using registry::testing::widgets;
using registry::testing::yaml;

class StandingRightsTest : public ::testing::Test {
 protected:
  void allow(std::string_view rules, std::string_view binding = "ClusterRoleBinding") {
    policy_.apply(yaml(fmt::format("{{kind: ClusterRole, metadata: {{name: r}}, rules: {}}}", rules)));
    policy_.apply(
        yaml(fmt::format("{{kind: {}, metadata: {{name: b, namespace: dev}}, roleRef: {{kind: ClusterRole, "
                         "name: r}}, subjects: [{{kind: User, name: ann}}]}}",
                         binding)));
  }
  bool may(std::string_view verb, std::string_view subresource = "") {
    return rights_.allow(verb, *widgets_, subresource);
  }

  auth::PolicyStore policy_;
  const auth::User ann_{.name = "ann", .uid = {}, .groups = {}, .extra = {}};
  const registry::KindPtr widgets_ = widgets();
  StandingRights rights_{policy_, ann_};
};

TEST_F(StandingRightsTest, OnlyWhatHoldsEverywhereStands) {
  struct Row {
    std::string_view name, reason, rules, binding;
    bool update, status;
  };
  const Row rows[] = {
      {"none", "nobody allowed anything", "[]", "ClusterRoleBinding", false, false},
      {"everywhere", "for all names, in all namespaces; a subresource is another matter",
       "[{apiGroups: [example.com], resources: [widgets], verbs: [update]}]", "ClusterRoleBinding", true, false},
      {"both", "the subresource is named, too",
       "[{apiGroups: [example.com], resources: [widgets, widgets/status], verbs: [update]}]", "ClusterRoleBinding",
       true, true},
      {"one name", "a rule for one name says nothing of others",
       "[{apiGroups: [example.com], resources: [widgets], verbs: [update], resourceNames: [w]}]", "ClusterRoleBinding",
       false, false},
      {"no name", "and a rule for the empty name is no rule for all",
       "[{apiGroups: [example.com], resources: [widgets], verbs: [update], resourceNames: ['']}]", "ClusterRoleBinding",
       false, false},
      {"one namespace", "a RoleBinding holds in its namespace",
       "[{apiGroups: [example.com], resources: [widgets], verbs: [update]}]", "RoleBinding", false, false},
      {"other group", "a kind of the same name in another group",
       "[{apiGroups: [other.com], resources: [widgets], verbs: [update]}]", "ClusterRoleBinding", false, false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    policy_.remove("RoleBinding", "dev", "b");
    policy_.remove("ClusterRoleBinding", "", "b");
    allow(row.rules, row.binding);
    for (const std::string_view time : {"asked", "remembered"}) {
      EXPECT_EQ(may("update"), row.update) << time << ": " << row.reason;
      EXPECT_EQ(may("update", "status"), row.status) << time << ": " << row.reason;
      EXPECT_FALSE(may("delete")) << time << ": another verb";
    }
  }
}

TEST_F(StandingRightsTest, WhatIsTakenAwayIsGoneAtOnce) {
  allow("[{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]");
  EXPECT_TRUE(may("update"));
  policy_.remove("ClusterRoleBinding", "", "b");
  EXPECT_FALSE(may("update"));
  allow("[{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]");
  EXPECT_TRUE(may("update"));
}

TEST_F(StandingRightsTest, ManyQuestionsAreAnsweredThoughNotAllAreRemembered) {
  allow("[{apiGroups: ['*'], resources: [widgets/odd], verbs: ['*']}]");
  for (int i = 0; i < 1000; ++i) {
    const bool is_odd = i % 2 == 1;
    EXPECT_EQ(may(fmt::format("verb-{}", i), is_odd ? "odd" : "even"), is_odd) << i;
  }
}

}  // namespace
}  // namespace chandler::client
