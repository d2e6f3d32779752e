#include "auth/policy_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include <fmt/format.h>

#include "json/reader.h"

namespace chandler::auth {
namespace {

json::Value role(std::string_view kind, std::string_view ns, std::string_view name, std::string_view rules) {
  return *json::parse(fmt::format(R"({{"kind": "{}", "metadata": {{"namespace": "{}", "name": "{}"}}, "rules": {}}})",
                                  kind, ns, name, rules));
}

json::Value binding(std::string_view kind, std::string_view ns, std::string_view name, std::string_view role_kind,
                    std::string_view role_name, std::string_view subjects) {
  return *json::parse(fmt::format(
      R"({{"kind": "{}", "metadata": {{"namespace": "{}", "name": "{}"}}, "roleRef": {{"kind": "{}", "name": "{}"}},
          "subjects": {}}})",
      kind, ns, name, role_kind, role_name, subjects));
}

constexpr std::string_view kReadPods = R"([{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}])";
constexpr std::string_view kReadAll = R"([{"verbs": ["get"], "apiGroups": ["*"], "resources": ["*"]},
                                         {"verbs": ["get"], "nonResourceURLs": ["/metrics"]}])";
constexpr std::string_view kJane = R"([{"kind": "User", "name": "jane"}])";

User user(std::string name, std::vector<std::string> groups = {}) {
  return {std::move(name), "", std::move(groups), {}};
}

Attributes get(const User& who, std::string_view resource, std::string_view ns) {
  Attributes a;
  a.user = &who;
  a.verb = "get";
  a.resource = resource;
  a.namespace_ = ns;
  return a;
}

Attributes get_path(const User& who, std::string_view path) {
  Attributes a;
  a.user = &who;
  a.verb = "get";
  a.is_resource = false;
  a.path = path;
  return a;
}

class PolicyTest : public ::testing::Test {
 protected:
  bool may(const User& who, std::string_view resource, std::string_view ns) const {
    return store.current()->authorize(get(who, resource, ns)).allowed;
  }
  bool may_path(const User& who, std::string_view path) const {
    return store.current()->authorize(get_path(who, path)).allowed;
  }
  PolicyStore store;
  const User jane = user("jane");
};

TEST_F(PolicyTest, MastersMayEverythingEvenWithoutAnyRole) {
  const auto root = user("root", {"system:masters"});
  EXPECT_TRUE(may(root, "secrets", "ns"));
  EXPECT_TRUE(may_path(root, "/metrics"));
  EXPECT_EQ(store.current()->authorize(get(root, "pods", "")).reason(), "");
  EXPECT_EQ(store.current()->rules_for(root, "ns"), full_authority());
  EXPECT_FALSE(may(user("system:masters"), "secrets", "ns")) << "it is a group, not a user";
}

TEST_F(PolicyTest, ARoleBindingGrantsInItsNamespaceOnly) {
  store.apply(role("Role", "a", "reader", kReadPods));
  store.apply(binding("RoleBinding", "a", "b", "Role", "reader", kJane));
  EXPECT_TRUE(may(jane, "pods", "a"));
  EXPECT_FALSE(may(jane, "pods", "other"));
  EXPECT_FALSE(may(jane, "pods", ""));
  EXPECT_FALSE(may(jane, "secrets", "a"));
  EXPECT_FALSE(may(user("joe"), "pods", "a"));
}

TEST_F(PolicyTest, ARoleOfAnotherNamespaceIsNotFound) {
  store.apply(role("Role", "other", "reader", kReadPods));
  store.apply(binding("RoleBinding", "a", "b", "Role", "reader", kJane));
  EXPECT_FALSE(may(jane, "pods", "a"));
  EXPECT_FALSE(may(jane, "pods", "other"));
}

TEST_F(PolicyTest, AClusterRoleCountsWhereItIsBound) {
  store.apply(role("ClusterRole", "", "all", kReadAll));
  store.apply(binding("RoleBinding", "a", "b", "ClusterRole", "all", kJane));
  EXPECT_TRUE(may(jane, "secrets", "a"));
  EXPECT_FALSE(may(jane, "secrets", ""));
  EXPECT_FALSE(may_path(jane, "/metrics")) << "paths are granted only by a ClusterRoleBinding";
  store.apply(binding("ClusterRoleBinding", "", "b", "ClusterRole", "all", kJane));
  EXPECT_TRUE(may(jane, "secrets", ""));
  EXPECT_TRUE(may(jane, "secrets", "anywhere"));
  EXPECT_TRUE(may_path(jane, "/metrics"));
  EXPECT_FALSE(may_path(jane, "/other"));
}

TEST_F(PolicyTest, SubjectsAreUsersGroupsAndServiceAccounts) {
  struct Row {
    std::string name;
    std::string reason;
    std::string subject;
    User who;
    bool want;
  };
  const std::vector<Row> rows = {
      {"user", "by name", R"({"kind": "User", "name": "jane"})", user("jane"), true},
      {"group", "any of the user's groups", R"({"kind": "Group", "name": "dev"})", user("x", {"ops", "dev"}), true},
      {"group is no user", "the kinds are apart", R"({"kind": "Group", "name": "jane"})", user("jane"), false},
      {"user is no group", "the kinds are apart", R"({"kind": "User", "name": "dev"})", user("x", {"dev"}), false},
      {"account", "under its user name", R"({"kind": "ServiceAccount", "name": "sa", "namespace": "n"})",
       user("system:serviceaccount:n:sa"), true},
      {"account, own namespace", "may be left out in a RoleBinding", R"({"kind": "ServiceAccount", "name": "sa"})",
       user("system:serviceaccount:a:sa"), true},
      {"account of another namespace", "the namespace counts",
       R"({"kind": "ServiceAccount", "name": "sa", "namespace": "n"})", user("system:serviceaccount:m:sa"), false},
      {"unknown kind", "grants nothing", R"({"kind": "Robot", "name": "jane"})", user("jane"), false},
      {"no name", "grants nothing to the nameless", R"({"kind": "User"})", user(""), false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    store.apply(role("Role", "a", "reader", kReadPods));
    store.apply(binding("RoleBinding", "a", "b", "Role", "reader", "[" + row.subject + "]"));
    EXPECT_EQ(may(row.who, "pods", "a"), row.want);
  }
}

TEST_F(PolicyTest, FollowsEveryChange) {
  store.apply(binding("RoleBinding", "a", "b", "Role", "reader", kJane));
  EXPECT_FALSE(may(jane, "pods", "a"));
  store.apply(role("Role", "a", "reader", kReadPods));
  EXPECT_TRUE(may(jane, "pods", "a")) << "a role that comes later counts";
  store.apply(role("Role", "a", "reader", "[]"));
  EXPECT_FALSE(may(jane, "pods", "a")) << "a changed role counts";
  store.apply(role("Role", "a", "reader", kReadPods));
  store.apply(binding("RoleBinding", "a", "b", "Role", "reader", R"([{"kind": "User", "name": "joe"}])"));
  EXPECT_FALSE(may(jane, "pods", "a")) << "a dropped subject has nothing any more";
  EXPECT_TRUE(may(user("joe"), "pods", "a"));
  store.remove("RoleBinding", "a", "b");
  EXPECT_FALSE(may(user("joe"), "pods", "a"));
  store.apply(binding("RoleBinding", "a", "b", "Role", "reader", kJane));
  store.remove("Role", "a", "reader");
  EXPECT_FALSE(may(jane, "pods", "a"));
  store.remove("Role", "a", "never-was");
}

TEST_F(PolicyTest, ASnapshotStaysAsItWas) {
  store.apply(role("Role", "a", "reader", kReadPods));
  store.apply(binding("RoleBinding", "a", "b", "Role", "reader", kJane));
  const auto before = store.current();
  store.remove("RoleBinding", "a", "b");
  store.apply(role("Role", "a", "reader", "[]"));
  EXPECT_TRUE(before->authorize(get(jane, "pods", "a")).allowed);
  EXPECT_FALSE(may(jane, "pods", "a"));
}

TEST_F(PolicyTest, IgnoresWhatIsNoRbacObjectOrHasNoPlace) {
  store.load({*json::parse(R"({"kind": "ConfigMap", "metadata": {"name": "x"}})"), *json::parse("5"),
              *json::parse(R"({"kind": "Role"})"), role("Role", "a", "reader", kReadPods),
              binding("RoleBinding", "", "b", "ClusterRole", "all", kJane), role("ClusterRole", "", "all", kReadAll)});
  EXPECT_FALSE(may(jane, "pods", "")) << "a RoleBinding without a namespace must not count cluster-wide";
}

TEST_F(PolicyTest, SaysWhyAndWhyNot) {
  store.apply(role("Role", "a", "reader", kReadPods));
  store.apply(binding("RoleBinding", "a", "b", "Role", "reader", kJane));
  store.apply(binding("RoleBinding", "a", "broken", "ClusterRole", "gone", kJane));
  EXPECT_EQ(store.current()->authorize(get(jane, "pods", "a")).reason(),
            R"(RBAC: allowed by RoleBinding "a/b" of Role "reader")");
  EXPECT_EQ(store.current()->authorize(get(jane, "secrets", "a")).reason(),
            R"(RBAC: RoleBinding "a/broken" refers to ClusterRole "gone", which does not exist)");
  EXPECT_EQ(store.current()->authorize(get(jane, "secrets", "other")).reason(), "");
}

TEST_F(PolicyTest, ListsTheRulesOfANamespaceOnce) {
  store.apply(role("ClusterRole", "", "all", kReadAll));
  store.apply(role("Role", "a", "reader", kReadPods));
  store.apply(binding("ClusterRoleBinding", "", "1", "ClusterRole", "all", kJane));
  store.apply(binding("ClusterRoleBinding", "", "2", "ClusterRole", "all", R"([{"kind": "Group", "name": "dev"}])"));
  store.apply(binding("RoleBinding", "a", "b", "Role", "reader", kJane));
  const auto who = user("jane", {"dev"});
  const Rule all{{"get"}, {"*"}, {"*"}, {}, {}};
  const Rule metrics{{"get"}, {}, {}, {}, {"/metrics"}};
  const Rule pods{{"get"}, {""}, {"pods"}, {}, {}};
  EXPECT_EQ(store.current()->rules_for(who, "a"), (std::vector<Rule>{all, metrics, pods}));
  EXPECT_EQ(store.current()->rules_for(who, ""), (std::vector<Rule>{all, metrics}));
  EXPECT_TRUE(store.current()->rules_for(user("joe"), "a").empty());
}

TEST_F(PolicyTest, ANamespaceGrantListsNoPaths) {
  store.apply(role("ClusterRole", "", "all", kReadAll));
  store.apply(binding("RoleBinding", "a", "b", "ClusterRole", "all", kJane));
  EXPECT_EQ(store.current()->rules_for(jane, "a"), (std::vector<Rule>{{{"get"}, {"*"}, {"*"}, {}, {}}}));
}

TEST_F(PolicyTest, FollowsSingleChangesAmongManyBindings) {
  const auto grant = [](int i) {
    return binding("RoleBinding", fmt::format("ns-{}", i), "b", "ClusterRole", "all",
                   R"([{"kind": "Group", "name": "everyone"}])");
  };
  std::vector<json::Value> objects = {role("ClusterRole", "", "all", kReadAll)};
  for (int i = 0; i < 10'000; ++i) objects.push_back(grant(i));
  store.load(objects);
  for (int i = 10'000; i < 10'500; ++i) store.apply(grant(i));
  for (int i = 0; i < 1'000; i += 2) store.remove("RoleBinding", fmt::format("ns-{}", i), "b");
  const auto everyone = user("x", {"everyone"});
  for (int i = 0; i < 11'000; ++i) {
    const bool want = i < 1'000 ? i % 2 == 1 : i < 10'500;
    ASSERT_EQ(may(everyone, "pods", fmt::format("ns-{}", i)), want) << i;
  }
}

TEST_F(PolicyTest, ReadersAndWritersDoNotDisturbEachOther) {
  store.apply(role("ClusterRole", "", "all", kReadAll));
  store.apply(binding("ClusterRoleBinding", "", "always", "ClusterRole", "all", kJane));
  std::atomic<bool> stop{false};
  std::atomic<int> refused{0};
  std::thread reader([&] {
    while (!stop) {
      if (!may(jane, "pods", "ns")) ++refused;
    }
  });
  std::vector<std::thread> writers;
  for (int w = 0; w < 2; ++w) {
    writers.emplace_back([&, w] {
      for (int i = 0; i < 200; ++i) {
        const auto name = fmt::format("b-{}-{}", w, i);
        store.apply(binding("ClusterRoleBinding", "", name, "ClusterRole", "all", kJane));
        if (i % 2 == 0) store.remove("ClusterRoleBinding", "", name);
      }
    });
  }
  for (auto& writer : writers) writer.join();
  stop = true;
  reader.join();
  EXPECT_EQ(refused, 0);
  store.remove("ClusterRoleBinding", "", "always");
  EXPECT_TRUE(may(jane, "pods", "ns")) << "the writers' bindings are all there";
}

}  // namespace
}  // namespace chandler::auth
