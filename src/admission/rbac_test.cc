#include <fmt/format.h>

#include "admission/kind_rules.h"
#include "admission/rule_rows.h"
#include "support/growth.h"

namespace chandler::admission {
namespace {

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";

TEST(Role, RulesNameWhatTheyAllow) {
  expect_checks(
      check_role,
      {{"fine", "a usual rule", R"({"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]})", "", {}},
       {"none", "a role may be empty", R"({"rules":null})", "", {}},
       {"gaps",
        "a rule without these allows nothing",
        R"({"rules":[{"verbs":[]}]})",
        "",
        {"rules[0].verbs Required", "rules[0].apiGroups Required", "rules[0].resources Required"}},
       {"urls",
        "URLs have no namespace",
        R"({"rules":[{"verbs":["get"],"nonResourceURLs":["/x"]}]})",
        "",
        {"rules[0].nonResourceURLs Invalid"}}});
}

TEST(ClusterRole, RulesAreForResourcesOrUrls) {
  expect_checks(
      check_role,
      {{"urls", "health checks and the like", R"({"rules":[{"verbs":["get"],"nonResourceURLs":["/x"]}]})", "", {}},
       {"mixed",
        "one or the other",
        R"({"rules":[{"verbs":["get"],"nonResourceURLs":["/x"],"resources":["pods"],"apiGroups":[""]}]})",
        "",
        {"rules[0].nonResourceURLs Invalid"}},
       {"aggregation",
        "a selector that takes all is a mistake",
        R"({"rules":null,"aggregationRule":{"clusterRoleSelectors":[{}]}})",
        "",
        {"aggregationRule.clusterRoleSelectors[0] Invalid"}},
       {"aggregation of nothing",
        "so is none",
        R"({"rules":null,"aggregationRule":{}})",
        "",
        {"aggregationRule.clusterRoleSelectors Required"}}},
      false);
}

TEST(ClusterRole, SelectorsHaveABoundTogether) {
  const auto faults = [](size_t selectors) {
    std::string list;
    for (size_t i = 0; i < selectors; ++i)
      list += fmt::format(R"({}{{"matchLabels":{{"a":"{}"}}}})", i > 0 ? "," : "", i);
    auto object = document(R"({"rules":null,"aggregationRule":{"clusterRoleSelectors":[)" + list + "]}}");
    Context context;
    context.object = &object;
    meta::FieldErrors errors;
    check_role(context, errors);
    return errors.take();
  };
  EXPECT_TRUE(faults(1'000).empty());
  const auto found = faults(1'001);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].field, "aggregationRule.clusterRoleSelectors");
  EXPECT_EQ(found[0].reason, "FieldValueForbidden");
}

TEST(Role, NoRulesAreNull) {
  expect_defaults(default_role, {{"missing", "as other servers store it", R"({})", "", R"({"rules":null})"},
                                 {"empty", "the same", R"({"rules":[]})", "", R"({"rules":null})"}});
}

TEST(RoleBinding, GroupsAreFilledIn) {
  expect_defaults(default_role_binding,
                  {{"subjects", "users and groups are RBAC's own, service accounts are core objects",
                    R"({"roleRef":{"kind":"Role","name":"x","apiGroup":""},
            "subjects":[{"kind":"User","name":"u"},{"kind":"Group","name":"g"},{"kind":"ServiceAccount","name":"s","namespace":"a"}]})",
                    "",
                    R"({"roleRef":{"kind":"Role","name":"x","apiGroup":"rbac.authorization.k8s.io"},
            "subjects":[{"kind":"User","name":"u","apiGroup":"rbac.authorization.k8s.io"},
                        {"kind":"Group","name":"g","apiGroup":"rbac.authorization.k8s.io"},
                        {"kind":"ServiceAccount","name":"s","namespace":"a"}]})"},
                   {"nobody", "an empty list is left out",
                    R"({"roleRef":{"kind":"Role","name":"x","apiGroup":"rbac.authorization.k8s.io"},"subjects":[]})",
                    "", R"({"roleRef":{"kind":"Role","name":"x","apiGroup":"rbac.authorization.k8s.io"}})"}});
}

TEST(RoleBinding, SubjectsAreChecked) {
  const std::string ref = R"("roleRef":{"kind":"Role","name":"x"})";
  expect_checks(
      check_role_binding,
      {{"as recorded",
        "every subject on its own",
        "{" + ref +
            R"(,"subjects":[{"kind":"ServiceAccount","name":""},{"kind":"ServiceAccount","name":"Bad_","namespace":""},
                                {"kind":"User","name":"u","apiGroup":"x.io"}]})",
        "",
        {"subjects[0].name Required", "subjects[1].name Invalid", "subjects[2].apiGroup NotSupported"}},
       {"account with group",
        "service accounts are core objects",
        "{" + ref + R"(,"subjects":[{"kind":"ServiceAccount","name":"s","apiGroup":"x.io"}]})",
        "",
        {"subjects[0].apiGroup NotSupported"}},
       {"role name",
        "names are path segments",
        R"({"roleRef":{"kind":"Role","name":"a/b"}})",
        "",
        {"roleRef.name Invalid"}},
       {"no role name",
        "a binding binds something",
        R"({"roleRef":{"kind":"Role","name":""}})",
        "",
        {"roleRef.name Required"}}});
}

TEST(ClusterRoleBinding, ServiceAccountsNeedTheirNamespace) {
  expect_checks(check_role_binding,
                {{"account",
                  "which of the many?",
                  R"({"roleRef":{"kind":"ClusterRole","name":"x"},"subjects":[{"kind":"ServiceAccount","name":"s"}]})",
                  "",
                  {"subjects[0].namespace Required"}}},
                false);
}

TEST(Role, ChecksCostInProportionToTheObject) {
  struct Row {
    const char* reason;
    void (*check)(const Context&, meta::FieldErrors&);
    std::string before, item, after;  // the item is repeated
    size_t faults;                    // of an item
  };
  const Row rows[] = {
      {"rules", check_role, R"({"rules":[)", R"({"verbs":["get"],"apiGroups":[""],"resources":["pods"]})", "]}", 0},
      {"rules without content", check_role, R"({"rules":[)", R"({"verbs":[]})", "]}", 3},
      {"URLs in a namespace", check_role, R"({"rules":[)", R"({"verbs":["get"],"nonResourceURLs":["/x"]})", "]}", 1},
      {"many URLs of one rule", check_role, R"({"rules":[{"verbs":["get"],"nonResourceURLs":[)", R"("/x")", "]}]}", 0},
      {"selectors", check_role, R"({"aggregationRule":{"clusterRoleSelectors":[)", R"({"matchLabels":{"a":"b"}})",
       "]}}", 0},
      {"selectors with a fault", check_role, R"({"aggregationRule":{"clusterRoleSelectors":[)", "{}", "]}}", 1},
      {"subjects", check_role_binding, R"({"subjects":[)", R"({"kind":"ServiceAccount","name":"a"})", "]}", 0},
      {"subjects with a fault", check_role_binding, R"({"subjects":[)", R"({"kind":"User","name":""})", "]}", 2},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.reason);
    EXPECT_TRUE(::chandler::testing::is_linear(800, [&](size_t size) -> ::chandler::testing::Growth::Work {
      std::string body = row.before + row.item;
      for (size_t i = 1; i < size; ++i) body += "," + row.item;
      return [object = document(body + row.after), size, &row]() mutable {
        Context context;
        context.object = &object;
        context.namespaced = true;
        meta::FieldErrors errors;
        row.check(context, errors);
        EXPECT_GE(errors.size(), row.faults * size);
      };
    }));
  }
}

class Escalation : public ::testing::Test {
 protected:
  Escalation() {
    policy_.apply(document(R"({"kind":"Role","metadata":{"name":"r","namespace":"a"},
        "rules":[{"verbs":["get"],"apiGroups":[""],"resources":["configmaps"]}]})"));
    policy_.apply(document(R"({"kind":"Role","metadata":{"name":"more","namespace":"a"},
        "rules":[{"verbs":["get"],"apiGroups":[""],"resources":["secrets"]}]})"));
    policy_.apply(document(R"({"kind":"RoleBinding","metadata":{"name":"b","namespace":"a"},
        "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"r"},
        "subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"u"}]})"));
    user_.name = "u";
  }

  Result<void> permit(Permit rule, std::string_view text) {
    auto object = document(text);
    Context context;
    context.object = &object;
    context.policy = &policy_;
    context.user = &user_;
    return rule(context);
  }

  auth::Policy policy_;
  auth::User user_;
};

TEST_F(Escalation, NobodyGrantsMoreThanTheyHold) {
  EXPECT_TRUE(permit(permit_role, R"({"kind":"Role","metadata":{"name":"n","namespace":"a"},
      "rules":[{"verbs":["get"],"apiGroups":[""],"resources":["configmaps"]}]})")
                  .ok());
  const auto role = permit(permit_role, R"({"kind":"Role","metadata":{"name":"n","namespace":"a"},
      "rules":[{"verbs":["get"],"apiGroups":[""],"resources":["secrets"]}]})");
  ASSERT_FALSE(role.ok());
  EXPECT_EQ(role.error().http(), 403);
  const auto binding = permit(permit_role_binding, R"({"kind":"RoleBinding","metadata":{"name":"n","namespace":"a"},
      "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"more"}})");
  ASSERT_FALSE(binding.ok());
  EXPECT_EQ(binding.error().http(), 403);
  EXPECT_EQ(binding.error().about.group, kGroup);
}

}  // namespace
}  // namespace chandler::admission
