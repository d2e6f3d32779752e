#include "apiserver/impersonation.h"

#include "json/yaml.h"

namespace chandler::apiserver {
namespace {

constexpr std::string_view kGrants = R"(
kind: ClusterRole
metadata: {name: acts-as-jane}
rules:
  - {apiGroups: [''], resources: [users], verbs: [impersonate], resourceNames: [jane]}
  - {apiGroups: [''], resources: [groups], verbs: [impersonate], resourceNames: [makers]}
  - {apiGroups: [authentication.k8s.io], resources: [uids], verbs: [impersonate], resourceNames: [u1]}
  - {apiGroups: [authentication.k8s.io], resources: [userextras/scope], verbs: [impersonate], resourceNames: [s1, s2]}
---
kind: ClusterRoleBinding
metadata: {name: acts-as-jane}
roleRef: {kind: ClusterRole, name: acts-as-jane}
subjects: [{kind: User, name: proxy}]
---
kind: Role
metadata: {name: acts-as-accounts, namespace: shop}
rules:
  - {apiGroups: [''], resources: [serviceaccounts], verbs: [impersonate]}
---
kind: RoleBinding
metadata: {name: acts-as-accounts, namespace: shop}
roleRef: {kind: Role, name: acts-as-accounts}
subjects: [{kind: User, name: proxy}]
)";

struct ImpersonationRow {
  const char* reason;
  std::vector<std::pair<const char*, const char*>> headers;
  const char* expected;  // the user as "name uid [groups] {extra}", or the error as "code resource name"
};

std::string shown(const Result<std::optional<auth::User>>& got) {
  if (!got.ok()) {
    return std::to_string(got.error().http()) + " " + got.error().about.qualified() + " " + got.error().about.name;
  }
  if (!got->has_value()) return "nobody";
  const auto& user = **got;
  std::string text = user.name + " " + user.uid + " [";
  for (const auto& group : user.groups) text += group + ",";
  text += "] {";
  for (const auto& [key, values] : user.extra) {
    text += key + ":";
    for (const auto& value : values) text += value + ",";
  }
  return text + "}";
}

class ImpersonationTest : public ::testing::Test {
 protected:
  ImpersonationTest() {
    const auto documents = json::parse_yaml_stream(kGrants);
    EXPECT_TRUE(documents.ok());
    for (const auto& document : *documents) policy_.apply(document);
    proxy_.name = "proxy";
  }

  Result<std::optional<auth::User>> ask(const ImpersonationRow& row, const auth::User& requester) const {
    http::Headers headers;
    headers.add("Accept", "application/json");
    for (const auto& [name, value] : row.headers) headers.add(name, value);
    return impersonated_user(headers, requester, policy_, {"", "configmaps", "", ""});
  }

  auth::Policy policy_;
  auth::User proxy_;
};

TEST_F(ImpersonationTest, TakesOnWhatIsGrantedAndNothingElse) {
  const ImpersonationRow rows[] = {
      {"nothing asked for", {}, "nobody"},
      {"a user becomes authenticated", {{"Impersonate-User", "jane"}}, "jane  [system:authenticated,] {}"},
      {"names of headers have no case", {{"impersonate-user", "jane"}}, "jane  [system:authenticated,] {}"},
      {"another user is about the request, as recorded", {{"Impersonate-User", "joe"}}, "403 configmaps "},
      {"a granted group",
       {{"Impersonate-User", "jane"}, {"Impersonate-Group", "makers"}},
       "jane  [makers,system:authenticated,] {}"},
      {"the masters are not free",
       {{"Impersonate-User", "jane"}, {"Impersonate-Group", "system:masters"}},
       "403 groups system:masters"},
      {"not even what everybody gets",
       {{"Impersonate-User", "jane"}, {"Impersonate-Group", "system:authenticated"}},
       "403 groups system:authenticated"},
      {"uid and extra",
       {{"Impersonate-User", "jane"},
        {"Impersonate-Uid", "u1"},
        {"Impersonate-Extra-Scope", "s1"},
        {"Impersonate-Extra-scope", "s2"}},
       "jane u1 [system:authenticated,] {scope:s1,s2,}"},
      {"another uid", {{"Impersonate-User", "jane"}, {"Impersonate-Uid", "u2"}}, "403 uids.authentication.k8s.io u2"},
      {"another value of extra",
       {{"Impersonate-User", "jane"}, {"Impersonate-Extra-Scope", "s3"}},
       "403 userextras.authentication.k8s.io s3"},
      {"another key of extra",
       {{"Impersonate-User", "jane"}, {"Impersonate-Extra-Other", "s1"}},
       "403 userextras.authentication.k8s.io s1"},
      {"an account gets its groups",
       {{"Impersonate-User", "system:serviceaccount:shop:robot"}},
       "system:serviceaccount:shop:robot  [system:serviceaccounts,system:serviceaccounts:shop,system:authenticated,] "
       "{}"},
      {"an account of a namespace without the grant",
       {{"Impersonate-User", "system:serviceaccount:other:robot"}},
       "403 configmaps "},
      {"what only begins like an account is a user",
       {{"Impersonate-User", "system:serviceaccount:shop"}},
       "403 configmaps "},
      {"groups without a user", {{"Impersonate-Group", "makers"}}, "400  "},
      {"an empty user", {{"Impersonate-User", ""}}, "400  "},
      {"two users", {{"Impersonate-User", "jane"}, {"Impersonate-User", "joe"}}, "400  "},
      {"an unknown header of the family", {{"Impersonate-User", "jane"}, {"Impersonate-Role", "x"}}, "400  "},
  };
  for (const auto& row : rows) EXPECT_EQ(shown(ask(row, proxy_)), row.expected) << row.reason;
}

TEST_F(ImpersonationTest, MastersMayBecomeAnybody) {
  auth::User admin;
  admin.name = "admin";
  admin.groups = {std::string(auth::kMasters)};
  const ImpersonationRow rows[] = {
      {"percent escapes in keys",
       {{"Impersonate-User", "joe"}, {"Impersonate-Extra-example.com%2Fteam", "a"}},
       "joe  [system:authenticated,] {example.com/team:a,}"},
      {"a key that is no escape stands for itself",
       {{"Impersonate-User", "joe"}, {"Impersonate-Extra-50%", "a"}},
       "joe  [system:authenticated,] {50%:a,}"},
      {"nobody in particular",
       {{"Impersonate-User", "system:anonymous"}},
       "system:anonymous  [system:unauthenticated,] {}"},
      {"groups that are named replace those of an account",
       {{"Impersonate-User", "system:serviceaccount:shop:robot"}, {"Impersonate-Group", "g"}},
       "system:serviceaccount:shop:robot  [g,system:authenticated,] {}"},
  };
  for (const auto& row : rows) EXPECT_EQ(shown(ask(row, admin)), row.expected) << row.reason;
}

TEST_F(ImpersonationTest, TheNumberOfHeadersIsBounded) {
  http::Headers headers;
  headers.add("Impersonate-User", "jane");
  for (int i = 0; i < 1000; ++i) headers.add("Impersonate-Group", "makers");
  EXPECT_EQ(shown(impersonated_user(headers, proxy_, policy_, {})), "400  ");
}

}  // namespace
}  // namespace chandler::apiserver
