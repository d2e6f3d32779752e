#include "auth/escalation.h"

#include <gtest/gtest.h>

#include <optional>

#include "json/reader.h"

namespace chandler::auth {
namespace {

json::Value parsed(std::string_view text) { return *json::parse(text); }

constexpr std::string_view kRole = R"({"kind": "Role", "metadata": {"namespace": "ns", "name": "x"},
    "rules": [{"verbs": ["get"], "apiGroups": [""], "resources": ["secrets"]}]})";
constexpr std::string_view kBinding = R"({"kind": "RoleBinding", "metadata": {"namespace": "ns", "name": "n"},
    "roleRef": {"kind": "Role", "name": "x"}, "subjects": []})";

const User kJane{"jane", "", {"dev"}, {}};

// Jane holds `rules` in the namespace ns; the role x that reads secrets exists there.
Policy policy_with(std::string_view rules) {
  Policy policy;
  policy.apply(parsed(kRole));
  policy.apply(parsed(R"({"kind": "Role", "metadata": {"namespace": "ns", "name": "own"}, "rules": [)" +
                      std::string(rules) + "]}"));
  policy.apply(parsed(R"({"kind": "RoleBinding", "metadata": {"namespace": "ns", "name": "own"},
      "roleRef": {"kind": "Role", "name": "own"}, "subjects": [{"kind": "User", "name": "jane"}]})"));
  return policy;
}

TEST(RoleEscalation, GrantsOnlyWhatOneHolds) {
  struct Row {
    std::string name;
    std::string reason;
    std::string owned;
    std::string role;
    std::string old;  // empty: a create
    bool want;
  };
  const std::string secrets = R"({"verbs": ["get", "list"], "apiGroups": [""], "resources": ["secrets"]})";
  const std::string escalate =
      R"({"verbs": ["escalate"], "apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles"]})";
  const std::string escalate_x =
      R"({"verbs": ["escalate"], "apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles"],
          "resourceNames": ["x"]})";
  const std::string role(kRole);
  const std::string other_rules = R"({"kind": "Role", "metadata": {"namespace": "ns", "name": "x"}, "rules": []})";
  const std::string cluster_role = R"({"kind": "ClusterRole", "metadata": {"name": "x"},
      "rules": [{"verbs": ["get"], "apiGroups": [""], "resources": ["secrets"]}]})";
  const std::string aggregated = R"({"kind": "Role", "metadata": {"namespace": "ns", "name": "x"}, "rules": [],
      "aggregationRule": {"clusterRoleSelectors": []}})";
  const std::vector<Row> rows = {
      {"held", "one may pass on what one holds", secrets, role, "", true},
      {"not held", "one may not make a role that is more than oneself", "", role, "", false},
      {"escalate", "the verb lifts the rule", escalate, role, "", true},
      {"escalate by name, update", "the verb on that role", escalate_x, role, other_rules, true},
      {"escalate by name, create", "what does not exist yet has no name", escalate_x, role, "", false},
      {"unchanged", "an update of labels needs no rights", "", role, role, true},
      {"changed", "an update that grants more does", "", role, other_rules, false},
      {"less", "taking away needs no rights", "", other_rules, role, true},
      {"cluster role", "rights in a namespace do not suffice for the cluster", secrets, cluster_role, "", false},
      {"aggregated", "an aggregated role may come to hold anything", secrets, aggregated, "", false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto old = row.old.empty() ? std::nullopt : std::optional(parsed(row.old));
    const auto got = check_role_escalation(policy_with(row.owned), kJane, parsed(row.role), old ? &*old : nullptr);
    EXPECT_EQ(got.ok(), row.want);
  }
}

TEST(RoleEscalation, TheRefusalNamesTheRoleAndWhatMisses) {
  const auto got = check_role_escalation(policy_with(""), kJane, parsed(kRole), nullptr);
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().http(), 403);
  EXPECT_EQ(got.error().about, (ObjectRef{"rbac.authorization.k8s.io", "roles", "x", ""}));
  EXPECT_EQ(got.error().message,
            "roles.rbac.authorization.k8s.io \"x\" is forbidden: user \"jane\" (groups: dev) would grant permissions "
            "that it does not hold itself:\n{verbs: [\"get\"], apiGroups: [\"\"], resources: [\"secrets\"]}");
}

TEST(RoleEscalation, TheRefusalIsOfBoundedLength) {
  std::string resources = "\"r\"";
  for (int i = 0; i < 99; ++i) resources += ", \"r" + std::to_string(i) + "\"";
  const auto role = parsed(R"({"kind": "Role", "metadata": {"namespace": "ns", "name": "x"},
      "rules": [{"verbs": ["get"], "apiGroups": [""], "resources": [)" +
                           resources + "]}]}");
  const auto got = check_role_escalation(policy_with(""), kJane, role, nullptr);
  ASSERT_FALSE(got.ok());
  EXPECT_NE(got.error().message.find("and 80 more"), std::string::npos);
}

// Two hundred rules in each of three directions: which of them holds a permission is known only after many comparisons.
TEST(RoleEscalation, ARoleThatIsTooMuchToCompareIsRefused) {
  std::string owned;
  std::string verbs, groups, resources;
  const auto quote = [](char prefix, int i) { return '"' + (prefix + std::to_string(i)) + '"'; };
  for (int i = 0; i < 200; ++i) {
    const std::string comma = i == 0 ? "" : ", ";
    verbs += comma + quote('v', i);
    groups += comma + quote('g', i);
    resources += comma + quote('r', i);
    owned += comma + R"({"verbs": [)" + quote('v', i) +
             R"(], "apiGroups": ["*"], "resources": ["*"], "resourceNames": ["a"]})";
    owned +=
        R"(, {"verbs": ["*"], "apiGroups": [)" + quote('g', i) + R"(], "resources": ["*"], "resourceNames": ["a"]})";
    owned +=
        R"(, {"verbs": ["*"], "apiGroups": ["*"], "resources": [)" + quote('r', i) + R"(], "resourceNames": ["a"]})";
  }
  const auto role =
      parsed(R"({"kind": "Role", "metadata": {"namespace": "ns", "name": "x"}, "rules": [{"verbs": [)" + verbs +
             R"(], "apiGroups": [)" + groups + R"(], "resources": [)" + resources + R"(], "resourceNames": ["a"]}]})");
  const auto got = check_role_escalation(policy_with(owned), kJane, role, nullptr);
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().http(), 403);
  EXPECT_EQ(got.error().message,
            "roles.rbac.authorization.k8s.io \"x\" is forbidden: user \"jane\" (groups: dev) would grant more "
            "permissions than the server compares with the many rules that it holds: split the role, let the user hold "
            "what it grants by fewer rules, or allow the user to escalate the role");
  const auto escalate =
      R"(, {"verbs": ["escalate"], "apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles"]})";
  EXPECT_TRUE(check_role_escalation(policy_with(owned + escalate), kJane, role, nullptr).ok());
}

TEST(RoleEscalation, MastersAreFree) {
  const User root{"root", "", {"system:masters"}, {}};
  EXPECT_TRUE(check_role_escalation(Policy(), root, parsed(kRole), nullptr).ok());
  EXPECT_TRUE(check_binding_escalation(Policy(), root, parsed(kBinding), nullptr).ok());
}

TEST(BindingEscalation, BindsOnlyWhatOneHolds) {
  struct Row {
    std::string name;
    std::string reason;
    std::string owned;
    std::string binding;
    std::string old;
    int want;  // 0 or the code of the refusal
    ObjectRef about;
  };
  const std::string secrets = R"({"verbs": ["*"], "apiGroups": [""], "resources": ["*"]})";
  const std::string bind = R"({"verbs": ["bind"], "apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles"],
      "resourceNames": ["x", "missing"]})";
  const std::string bind_other = R"({"verbs": ["bind"], "apiGroups": ["rbac.authorization.k8s.io"],
      "resources": ["roles"], "resourceNames": ["y"]})";
  const std::string binding(kBinding);
  const std::string missing = R"({"kind": "RoleBinding", "metadata": {"namespace": "ns", "name": "n"},
      "roleRef": {"kind": "Role", "name": "missing"}, "subjects": []})";
  const std::string more = R"({"kind": "RoleBinding", "metadata": {"namespace": "ns", "name": "n"},
      "roleRef": {"kind": "Role", "name": "x"}, "subjects": [{"kind": "User", "name": "joe"}]})";
  const std::string cluster = R"({"kind": "ClusterRoleBinding", "metadata": {"name": "n"},
      "roleRef": {"kind": "ClusterRole", "name": "missing"}, "subjects": []})";
  const std::string group = "rbac.authorization.k8s.io";
  const std::vector<Row> rows = {
      {"held", "one may pass on what one holds", secrets, binding, "", 0, {}},
      {"not held", "one may not give others more than oneself", "", binding, "", 403, {group, "rolebindings", "n", ""}},
      {"bind", "the verb on that role lifts the rule", bind, binding, "", 0, {}},
      {"bind another",
       "the verb on another role does not",
       bind_other,
       binding,
       "",
       403,
       {group, "rolebindings", "n", ""}},
      {"missing role",
       "what it grants is not known",
       secrets,
       missing,
       "",
       404,
       {group, "rolebindings", "missing", ""}},
      {"missing role, bind", "the verb allows to bind ahead", bind, missing, "", 0, {}},
      {"missing cluster role",
       "the same at the cluster scope",
       "",
       cluster,
       "",
       404,
       {group, "clusterrolebindings", "missing", ""}},
      {"unchanged", "an update of labels needs no rights", "", binding, binding, 0, {}},
      {"another subject", "giving it to one more does", "", more, binding, 403, {group, "rolebindings", "n", ""}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto old = row.old.empty() ? std::nullopt : std::optional(parsed(row.old));
    const auto got =
        check_binding_escalation(policy_with(row.owned), kJane, parsed(row.binding), old ? &*old : nullptr);
    ASSERT_EQ(got.ok() ? 0 : got.error().http(), row.want);
    if (!got.ok()) {
      EXPECT_EQ(got.error().about, row.about);
    }
  }
}

}  // namespace
}  // namespace chandler::auth
