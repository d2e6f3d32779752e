#include "apiserver/audit/audit_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace chandler::apiserver {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kHead = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";

AuditPolicy policy_of(const std::string& rest) {
  auto policy = AuditPolicy::parse(std::string(kHead) + rest, "audit.yaml");
  EXPECT_TRUE(policy.ok()) << policy.error().message;
  return policy.ok() ? std::move(policy).value() : AuditPolicy::metadata_of_everything();
}

std::string decided(const AuditPolicy& policy, http::Method method, std::string_view target,
                    const std::string& user = "ann", const std::string& group = "makers") {
  const auto info = parse_request_info(method, target);
  EXPECT_TRUE(info.ok());
  auth::User who;
  who.name = user;
  who.groups = {group};
  return std::string(audit_level_name(policy.decide(*info, user.empty() ? nullptr : &who, false).level));
}

TEST(AuditPolicy, TheFirstRuleThatMatchesDecides) {
  const auto policy = policy_of(R"(
rules:
  - {level: None, users: [robot]}
  - {level: Request, userGroups: [watched]}
  - {level: RequestResponse, verbs: [delete], resources: [{group: '', resources: [pods]}]}
  - {level: Request, resources: [{group: apps}]}
  - {level: Metadata, resources: [{group: '', resources: [configmaps], resourceNames: [one]}]}
  - {level: Request, namespaces: [shop]}
  - {level: Metadata, resources: [{group: '', resources: ['*/status']}]}
  - {level: Request, resources: [{group: '', resources: ['services/*']}]}
  - {level: Metadata, nonResourceURLs: [/api*, /version]}
)");
  using enum http::Method;
  struct Row {
    const char* reason;
    http::Method method;
    const char* target;
    const char* user;
    const char* group;
    const char* expected;
  };
  const Row rows[] = {
      {"by user", kGet, "/api/v1/namespaces/shop/pods", "robot", "g", "None"},
      {"by group", kGet, "/api/v1/namespaces/other/pods", "ann", "watched", "Request"},
      {"by verb and resource", kDelete, "/api/v1/namespaces/other/pods/a", "ann", "g", "RequestResponse"},
      {"another verb", kGet, "/api/v1/namespaces/other/pods/a", "ann", "g", "None"},
      {"a resource is not its parts", kDelete, "/api/v1/namespaces/other/pods/a/log", "ann", "g", "None"},
      {"a whole group", kGet, "/apis/apps/v1/deployments", "ann", "g", "Request"},
      {"by name", kGet, "/api/v1/namespaces/other/configmaps/one", "ann", "g", "Metadata"},
      {"another name", kGet, "/api/v1/namespaces/other/configmaps/two", "ann", "g", "None"},
      {"by namespace", kGet, "/api/v1/namespaces/shop/configmaps/two", "ann", "g", "Request"},
      {"a part of everything", kGet, "/api/v1/namespaces/other/pods/a/status", "ann", "g", "Metadata"},
      {"every part of one", kGet, "/api/v1/namespaces/other/services/a/proxy", "ann", "g", "Request"},
      {"a path by its beginning", kGet, "/apis", "ann", "g", "Metadata"},
      {"a path as it is", kGet, "/version", "ann", "g", "Metadata"},
      {"another path", kGet, "/healthz", "ann", "g", "None"},
      {"nobody known: rules for users do not match", kGet, "/version", "", "g", "Metadata"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(decided(policy, row.method, row.target, row.user, row.group), row.expected) << row.reason;
  }
}

TEST(AuditPolicy, BodiesOfSecretsAndTokensAreNeverWanted) {
  const auto policy = policy_of("rules: [{level: RequestResponse}]\n");
  using enum http::Method;
  EXPECT_EQ(decided(policy, kGet, "/api/v1/namespaces/a/secrets/s"), "Metadata");
  EXPECT_EQ(decided(policy, kGet, "/api/v1/secrets"), "Metadata");
  EXPECT_EQ(decided(policy, kPost, "/api/v1/namespaces/a/serviceaccounts/s/token"), "Metadata");
  EXPECT_EQ(decided(policy, kPost, "/apis/authentication.k8s.io/v1/tokenreviews"), "Metadata");
  EXPECT_EQ(decided(policy, kGet, "/api/v1/namespaces/a/serviceaccounts/s"), "RequestResponse");
  const auto info = parse_request_info(kGet, "/apis/example.com/v1/vaults");
  EXPECT_EQ(policy.decide(*info, nullptr, true).level, AuditLevel::kMetadata) << "a kind that is encrypted at rest";
}

TEST(AuditPolicy, StagesAndManagedFieldsAddUp) {
  const auto policy = policy_of(R"(
omitStages: [RequestReceived]
omitManagedFields: true
rules:
  - {level: Metadata, users: [a], omitStages: [Panic], omitManagedFields: false}
  - {level: Metadata}
)");
  const auto info = parse_request_info(http::Method::kGet, "/version");
  auth::User user;
  user.name = "a";
  const auto first = policy.decide(*info, &user, false);
  EXPECT_FALSE(first.wants(AuditStage::kRequestReceived));
  EXPECT_FALSE(first.wants(AuditStage::kPanic));
  EXPECT_TRUE(first.wants(AuditStage::kResponseComplete));
  EXPECT_FALSE(first.omit_managed_fields);
  user.name = "b";
  const auto second = policy.decide(*info, &user, false);
  EXPECT_TRUE(second.wants(AuditStage::kPanic));
  EXPECT_TRUE(second.omit_managed_fields);
}

TEST(AuditPolicy, ABadFileIsRefusedWithRuleAndField) {
  struct Row {
    const char* reason;
    std::string text;
    const char* said;
  };
  const std::string head(kHead);
  const Row rows[] = {
      {"no YAML", "{", "audit.yaml: "},
      {"no object", "[]", "audit.yaml is no object"},
      {"another version", "apiVersion: audit.k8s.io/v1beta1\nkind: Policy\nrules: [{level: None}]",
       "audit.yaml: apiVersion: must be audit.k8s.io/v1"},
      {"another kind", "apiVersion: audit.k8s.io/v1\nkind: Pod\nrules: [{level: None}]", "kind: must be Policy"},
      {"no rules", head, "rules: must hold at least one rule"},
      {"no level", head + "rules: [{level: None}, {users: [a]}]", "audit.yaml: rules[1].level: must be None"},
      {"an unknown level", head + "rules: [{level: All}]", "rules[0].level"},
      {"a misspelt field", head + "rules: [{level: None, user: [a]}]",
       "rules[0].user: is not known; did you mean users?"},
      {"a text instead of a list", head + "rules: [{level: None, users: a}]", "rules[0].users: must be a list"},
      {"a number in a list", head + "rules: [{level: None, verbs: [get, 1]}]", "rules[0].verbs[1]: must be a text"},
      {"a group with a version", head + "rules: [{level: None, resources: [{group: apps/v1}]}]",
       "rules[0].resources[0].group"},
      {"names of nothing", head + "rules: [{level: None, resources: [{group: '', resourceNames: [a]}]}]",
       "rules[0].resources[0].resourceNames"},
      {"paths and resources", head + "rules: [{level: None, namespaces: [a], nonResourceURLs: [/x]}]",
       "rules[0].nonResourceURLs"},
      {"a star in the middle", head + "rules: [{level: None, nonResourceURLs: ['/a*b']}]", "rules[0].nonResourceURLs"},
      {"an unknown stage", head + "rules: [{level: None, omitStages: [Begin]}]", "rules[0].omitStages"},
      {"twice the same key", head + "rules: []\nrules: [{level: None}]", "rules is there twice"},
  };
  for (const auto& row : rows) {
    const auto got = AuditPolicy::parse(row.text, "audit.yaml");
    ASSERT_FALSE(got.ok()) << row.reason;
    EXPECT_THAT(got.error().message, HasSubstr(row.said)) << row.reason;
  }
}

TEST(AuditPolicy, EveryFaultIsTold) {
  const auto got = AuditPolicy::parse(std::string(kHead) + "rules: [{level: x}, {level: y}]", "p");
  ASSERT_FALSE(got.ok());
  EXPECT_THAT(got.error().message, HasSubstr("rules[0].level"));
  EXPECT_THAT(got.error().message, HasSubstr("rules[1].level"));
}

}  // namespace
}  // namespace chandler::apiserver
