// Roles, bindings and reviews, by a user that may write them but holds little: every permission is looked at.
#include "cost/cost_lab.h"
#include "cost/shapes.h"

namespace chandler::cost {
namespace {

constexpr std::string_view kRights = R"(
kind: ClusterRole
metadata: {name: role-writer}
rules:
- {apiGroups: [rbac.authorization.k8s.io], resources: [clusterroles, clusterrolebindings], verbs: [create, update]}
- {apiGroups: [authorization.k8s.io], resources: ['*'], verbs: [create]}
- {apiGroups: [''], resources: [configmaps, pods], verbs: [get, list]}
---
kind: ClusterRoleBinding
metadata: {name: role-writer}
roleRef: {kind: ClusterRole, name: role-writer}
subjects: [{kind: User, name: writer}]
)";

Message as_writer(Message message) {
  message.user = "writer";
  message.group = "";
  return message;
}

Message role(std::string_view rules) {
  return as_writer(create("/apis/rbac.authorization.k8s.io/v1/clusterroles",
                          fmt::format(R"({{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",)"
                                      R"("metadata":{{"name":"r"}},"rules":[{}]}})",
                                      rules)));
}

class CostOfAccess : public ::testing::Test {
 protected:
  CostOfAccess() { lab_.grant(kRights); }
  CostLab lab_;
};

TEST_F(CostOfAccess, GrowsWithRoles) {
  const auto one_rule = [](std::string_view list, std::string_view rest) {
    return [=](size_t n) { return role(fmt::format(R"({{"{}":[{}],{}}})", list, numbered(n, R"("x{0}")"), rest)); };
  };
  lab_.check({
      {"rules that are held", "each is found among the owned", 20'000, 201,
       [](size_t n) {
         return role(
             numbered(n, R"({{"apiGroups":[""],"resources":["pods"],"verbs":["get"],"resourceNames":["n{0}"]}})"));
       }},
      {"rules that are not held", "each is named, up to a number", 20'000, 403,
       [](size_t n) {
         return role(
             numbered(n, R"({{"apiGroups":[""],"resources":["secrets"],"verbs":["get"],"resourceNames":["n{0}"]}})"));
       }},
      {"verbs", "each is a permission", 40'000, 403, one_rule("verbs", R"("apiGroups":[""],"resources":["pods"])")},
      {"groups", "each is a permission", 40'000, 403, one_rule("apiGroups", R"("verbs":["get"],"resources":["pods"])")},
      {"resources", "each is a permission", 40'000, 403, one_rule("resources", R"("verbs":["get"],"apiGroups":[""])")},
      {"names", "each is a permission", 40'000, 403,
       one_rule("resourceNames", R"("verbs":["get"],"apiGroups":[""],"resources":["secrets"])")},
      {"URLs", "each is a permission", 40'000, 403,
       [](size_t n) { return role(R"({"nonResourceURLs":[)" + numbered(n, R"("/x{0}")") + R"(],"verbs":["get"]})"); }},
      {"products", "lists of a rule multiply", 1'600, 403,
       [](size_t n) {
         const auto names = numbered(n / 8, R"("x{0}")");
         return role(repeat(8, [&](size_t) {
           return fmt::format(R"({{"verbs":[{0}],"apiGroups":[{0}],"resources":[{0}],"resourceNames":[{0}]}})", names);
         }));
       }},
      {"many products", "their sum counts", 400, 403,
       [](size_t n) {
         const auto names = numbered(35, R"("x{0}")");
         return role(repeat(n, [&](size_t i) {
           return fmt::format(R"({{"verbs":[{0}],"apiGroups":["{1}"],"resources":[{0}],"resourceNames":[{0}]}})", names,
                              i);
         }));
       }},
  });
}

TEST_F(CostOfAccess, GrowsWithWhatTheUserHolds) {
  // Rules that the user holds and rules that it would grant grow together.
  const auto grant_rules = [this](size_t n) {
    lab_.grant(fmt::format(
        R"({{"kind":"ClusterRole","metadata":{{"name":"held"}},"rules":[{}]}})"
        "\n---\n"
        R"({{"kind":"ClusterRoleBinding","metadata":{{"name":"held"}},"roleRef":{{"kind":"ClusterRole","name":"held"}},)"
        R"("subjects":[{{"kind":"User","name":"writer"}}]}})",
        numbered(n, R"({{"apiGroups":["g{0}"],"resources":["r{0}"],"verbs":["get","list"]}})")));
  };
  for (const bool held : {true, false}) {
    SCOPED_TRACE(held ? "all are held" : "none is held");
    const auto result = ::chandler::testing::is_linear(4'000, [&](size_t n) -> testing::Growth::Work {
      auto message = role(numbered(n, held ? R"({{"apiGroups":["g{0}"],"resources":["r{0}"],"verbs":["list","get"]}})"
                                           : R"({{"apiGroups":["g{0}"],"resources":["r{0}"],"verbs":["watch"]}})"));
      grant_rules(n);
      EXPECT_EQ(lab_.send(message).status, held ? 201 : 403);
      return [this, n, grant_rules, message = std::move(message)] {
        grant_rules(n);
        lab_.send(message);
      };
    });
    EXPECT_TRUE(result);
  }
}

TEST_F(CostOfAccess, GrowsWithSubjectsAndReviews) {
  lab_.grant(R"({kind: ClusterRole, metadata: {name: nothing}, rules: []})");
  lab_.check({
      {"subjects", "each is checked", 20'000, 201,
       [](size_t n) {
         return as_writer(create(
             "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
             R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding",)"
             R"("metadata":{"name":"b"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",)"
             R"("kind":"ClusterRole","name":"nothing"},"subjects":[)" +
                 numbered(n, R"({{"kind":"User","name":"u{0}","apiGroup":"rbac.authorization.k8s.io"}})") + "]}"));
       }},
      {"groups of a review", "each may have bindings", 40'000, 201,
       [](size_t n) {
         return create("/apis/authorization.k8s.io/v1/subjectaccessreviews",
                       R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{"user":"u",)"
                       R"("resourceAttributes":{"verb":"get","resource":"pods"},"groups":[)" +
                           numbered(n, R"("g{0}")") + "]}}");
       }},
      {"extras of a review", "a map", 40'000, 201,
       [](size_t n) {
         return create("/apis/authorization.k8s.io/v1/subjectaccessreviews",
                       R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{"user":"u",)"
                       R"("resourceAttributes":{"verb":"get","resource":"pods"},"extra":{)" +
                           numbered(n, R"("e{0}":["v"])") + "}}}");
       }},
  });
}

}  // namespace
}  // namespace chandler::cost
