#include "auth/reviews.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "json/reader.h"
#include "json/writer.h"

namespace chandler::auth {
namespace {

json::Value parsed(std::string_view text) { return *json::parse(text); }

const User kJane{"jane", "u1", {"dev", "system:authenticated"}, {{"scope", {"s1"}}}};
const User kAdmin{"admin", "", {"system:masters"}, {}};

Policy sample_policy() {
  Policy policy;
  policy.apply(parsed(R"({"kind": "ClusterRole", "metadata": {"name": "basic"}, "rules": [
      {"verbs": ["get"], "nonResourceURLs": ["/healthz"]}]})"));
  policy.apply(parsed(R"({"kind": "ClusterRoleBinding", "metadata": {"name": "basic"},
      "roleRef": {"kind": "ClusterRole", "name": "basic"},
      "subjects": [{"kind": "Group", "name": "system:authenticated"}]})"));
  policy.apply(parsed(R"({"kind": "Role", "metadata": {"namespace": "ns", "name": "r"}, "rules": [
      {"verbs": ["get"], "apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["a"]}]})"));
  policy.apply(parsed(R"({"kind": "RoleBinding", "metadata": {"namespace": "ns", "name": "b"},
      "roleRef": {"kind": "Role", "name": "r"}, "subjects": [{"kind": "User", "name": "jane"}]})"));
  return policy;
}

enum class Review { kSelf, kSubject, kLocal };

Result<json::Value> ask(Review review, std::string_view spec, const User& self = kJane) {
  const auto request = parsed(fmt::format(R"({{"spec": {}}})", spec));
  const auto policy = sample_policy();
  if (review == Review::kSelf) return self_subject_access_review(request, self, policy);
  if (review == Review::kSubject) return subject_access_review(request, policy);
  return local_subject_access_review(request, "ns", policy);
}

TEST(AccessReview, AnswersWithTheSpecAndTheVerdict) {
  struct Row {
    std::string name;
    std::string reason;
    Review review;
    User self;
    std::string spec;
    std::string want;
  };
  const std::vector<Row> rows = {
      {"admin", "no reason is given for system:masters", Review::kSelf, kAdmin,
       R"({"resourceAttributes": {"namespace": "ns", "verb": "delete", "resource": "secrets", "group": ""}})",
       R"({"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "metadata": {},
           "spec": {"resourceAttributes": {"namespace": "ns", "verb": "delete", "resource": "secrets"}},
           "status": {"allowed": true}})"},
      {"denied", "a plain no", Review::kSelf, kJane,
       R"({"resourceAttributes": {"namespace": "ns", "verb": "delete", "resource": "secrets"}})",
       R"({"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "metadata": {},
           "spec": {"resourceAttributes": {"namespace": "ns", "verb": "delete", "resource": "secrets"}},
           "status": {"allowed": false}})"},
      {"allowed", "the binding is named", Review::kSelf, kJane,
       R"({"resourceAttributes": {"namespace": "ns", "verb": "get", "resource": "configmaps", "name": "a"}})",
       R"({"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "metadata": {},
           "spec": {"resourceAttributes": {"namespace": "ns", "verb": "get", "resource": "configmaps", "name": "a"}},
           "status": {"allowed": true, "reason": "RBAC: allowed by RoleBinding \"ns/b\" of Role \"r\""}})"},
      {"path", "paths can be asked for too", Review::kSelf, kJane,
       R"({"nonResourceAttributes": {"path": "/healthz", "verb": "get"}})",
       R"({"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "metadata": {},
           "spec": {"nonResourceAttributes": {"path": "/healthz", "verb": "get"}},
           "status": {"allowed": true, "reason": "RBAC: allowed by ClusterRoleBinding \"basic\" of ClusterRole \"basic\""}})"},
      {"other user", "by the groups of the spec", Review::kSubject, kJane,
       R"({"user": "x", "groups": ["system:masters"], "extra": {"a": ["b"]}, "uid": "",
           "resourceAttributes": {"namespace": "ns", "verb": "get", "resource": "secrets"}})",
       R"({"kind": "SubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "metadata": {},
           "spec": {"user": "x", "groups": ["system:masters"], "extra": {"a": ["b"]},
                    "resourceAttributes": {"namespace": "ns", "verb": "get", "resource": "secrets"}},
           "status": {"allowed": true}})"},
      {"local", "its namespace is shown", Review::kLocal, kJane,
       R"({"user": "nobody", "resourceAttributes": {"namespace": "ns", "verb": "get", "resource": "secrets"}})",
       R"({"kind": "LocalSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "metadata": {"namespace": "ns"},
           "spec": {"user": "nobody", "resourceAttributes": {"namespace": "ns", "verb": "get", "resource": "secrets"}},
           "status": {"allowed": false}})"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto got = ask(row.review, row.spec, row.self);
    ASSERT_TRUE(got.ok()) << got.error().message;
    EXPECT_EQ(json::write(*got), json::write(parsed(row.want)));
  }
}

TEST(AccessReview, FaultsAreToldTheWayClientsKnow) {
  struct Row {
    std::string name;
    std::string reason;
    Review review;
    std::string spec;
    int code;
    std::string field;
  };
  const std::vector<Row> rows = {
      {"neither", "one kind of attributes is needed", Review::kSelf, "{}", 422, "spec.resourceAttributes"},
      {"null spec", "as if it were empty", Review::kSelf, "null", 422, "spec.resourceAttributes"},
      {"both", "only one kind is allowed", Review::kSelf,
       R"({"resourceAttributes": {"verb": "get"}, "nonResourceAttributes": {"path": "/", "verb": "get"}})", 422,
       "spec.nonResourceAttributes"},
      {"no user", "about whom?", Review::kSubject, R"({"resourceAttributes": {"verb": "get"}})", 422, "spec.user"},
      {"other namespace", "a local review is about its namespace", Review::kLocal,
       R"({"user": "x", "resourceAttributes": {"namespace": "other", "verb": "get"}})", 422,
       "spec.resourceAttributes.namespace"},
      {"local path", "paths have no namespace", Review::kLocal,
       R"({"user": "x", "nonResourceAttributes": {"path": "/", "verb": "get"}})", 422, "spec.nonResourceAttributes"},
      {"spec no object", "it cannot be read", Review::kSelf, "5", 400, ""},
      {"verb type", "it cannot be read", Review::kSelf, R"({"resourceAttributes": {"verb": 5}})", 400, ""},
      {"attributes type", "it cannot be read", Review::kSelf, R"({"resourceAttributes": "x"})", 400, ""},
      {"groups type", "it cannot be read", Review::kSubject,
       R"({"groups": ["a", 5], "resourceAttributes": {"verb": "get"}})", 400, ""},
      {"extra type", "it cannot be read", Review::kSubject,
       R"({"user": "x", "extra": {"a": "b"}, "resourceAttributes": {"verb": "get"}})", 400, ""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto got = ask(row.review, row.spec);
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(got.error().http(), row.code) << got.error().message;
    if (row.code != 422) continue;
    EXPECT_EQ(got.error().about, (ObjectRef{"authorization.k8s.io", "", "", ""}));
    ASSERT_EQ(got.error().causes.size(), 1u);
    EXPECT_EQ(got.error().causes[0].field, row.field);
    EXPECT_EQ(got.error().causes[0].reason, "FieldValueInvalid");
  }
}

TEST(RulesReview, ListsResourcesAndPathsApart) {
  const auto got = self_subject_rules_review(parsed(R"({"spec": {"namespace": "ns"}})"), kJane, sample_policy());
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(json::write(*got),
            json::write(parsed(R"({"kind": "SelfSubjectRulesReview", "apiVersion": "authorization.k8s.io/v1",
      "metadata": {}, "spec": {}, "status": {"incomplete": false,
        "resourceRules": [{"verbs": ["get"], "apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["a"]}],
        "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/healthz"]}]}})")));
}

TEST(RulesReview, NeedsANamespace) {
  for (const auto* text :
       {"{}", R"({"spec": {}})", R"({"spec": {"namespace": ""}})", R"({"spec": {"namespace": 5}})"}) {
    const auto got = self_subject_rules_review(parsed(text), kJane, sample_policy());
    ASSERT_FALSE(got.ok()) << text;
    EXPECT_EQ(got.error().http(), 400) << text;
  }
}

TEST(SelfSubjectReview, TellsWhoOneIs) {
  const WallTime now(std::chrono::seconds(1'700'000'000));
  EXPECT_EQ(json::write(self_subject_review(kJane, now)),
            json::write(parsed(R"({"kind": "SelfSubjectReview", "apiVersion": "authentication.k8s.io/v1",
      "metadata": {"creationTimestamp": "2023-11-14T22:13:20Z"}, "status": {"userInfo": {"username": "jane",
        "uid": "u1", "groups": ["dev", "system:authenticated"], "extra": {"scope": ["s1"]}}}})")));
  EXPECT_EQ(json::write(*json::find(self_subject_review(kAdmin, now), "status")),
            R"({"userInfo":{"groups":["system:masters"],"username":"admin"}})");
}

// Accepts "good" for the audiences it is asked for, or for "api"; refuses the rest.
class FakeTokens final : public Authenticator {
 public:
  Result<std::optional<Identity>> authenticate(const Credentials& credentials) const override {
    if (credentials.bearer_token == "unknown") return std::optional<Identity>();
    if (credentials.bearer_token != "good") return fail(refused("the token has expired"));
    Identity identity{kJane, {"api"}};
    if (credentials.audiences != nullptr) identity.audiences = *credentials.audiences;
    return std::optional(std::move(identity));
  }
};

TEST(TokenReview, TellsWhoseTokenItIs) {
  struct Row {
    std::string name;
    std::string reason;
    std::string spec;
    std::string want;  // status
  };
  const std::string jane = R"({"username": "jane", "uid": "u1", "groups": ["dev", "system:authenticated"],
      "extra": {"scope": ["s1"]}})";
  const std::vector<Row> rows = {
      {"good", "the user and for whom it is meant", R"({"token": "good"})",
       R"({"authenticated": true, "audiences": ["api"], "user": )" + jane + "}"},
      {"audiences", "those that were asked for", R"({"token": "good", "audiences": ["x"]})",
       R"({"authenticated": true, "audiences": ["x"], "user": )" + jane + "}"},
      {"refused", "an answer, not an error; authenticated is absent", R"({"token": "bad"})",
       R"({"user": {}, "error": "the token has expired"})"},
      {"unknown", "the same when nobody knows it", R"({"token": "unknown"})",
       R"({"user": {}, "error": "no authentication method knows the token"})"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto got = token_review(parsed(R"({"spec": )" + row.spec + "}"), FakeTokens());
    ASSERT_TRUE(got.ok()) << got.error().message;
    EXPECT_EQ(json::write(*json::find(*got, "status")), json::write(parsed(row.want)));
    EXPECT_EQ(json::write(*json::find(*got, "spec")), json::write(parsed(row.spec)));
    EXPECT_EQ(json::string_at(*got, "kind"), "TokenReview");
    EXPECT_EQ(json::string_at(*got, "apiVersion"), "authentication.k8s.io/v1");
  }
}

TEST(TokenReview, NeedsAToken) {
  for (const auto* text : {"{}", R"({"spec": {"token": ""}})", R"({"spec": {"token": 5}})",
                           R"({"spec": {"token": "good", "audiences": "x"}})"}) {
    const auto got = token_review(parsed(text), FakeTokens());
    ASSERT_FALSE(got.ok()) << text;
    EXPECT_EQ(got.error().http(), 400) << text;
  }
}

}  // namespace
}  // namespace chandler::auth
