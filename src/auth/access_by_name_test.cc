#include "auth/access_by_name.h"

#include <gtest/gtest.h>

#include "json/reader.h"

namespace chandler::auth {
namespace {

json::Value parsed(std::string_view text) { return *json::parse(text); }

// `scope`: "Cluster", or "" with a namespace.
void grant(Policy& policy, const std::string& scope, const std::string& ns, const std::string& name,
           const std::string& subject, const std::string& rules) {
  const auto metadata = R"("metadata": {"namespace": ")" + ns + R"(", "name": ")" + name + R"("})";
  policy.apply(parsed(R"({"kind": ")" + scope + R"(Role", )" + metadata + R"(, "rules": [)" + rules + "]}"));
  policy.apply(parsed(R"({"kind": ")" + scope + R"(RoleBinding", )" + metadata + R"(, "roleRef": {"kind": ")" + scope +
                      R"(Role", "name": ")" + name + R"("}, "subjects": [)" + subject + "]}"));
}

std::string rule_of(const std::string& verb, const std::string& resource, const std::string& names = "") {
  return R"({"verbs": [")" + verb + R"("], "apiGroups": [""], "resources": [")" + resource +
         R"("], "resourceNames": [)" + names + "]}";
}

TEST(AccessByName, AnswersAsThePolicyDoes) {
  const std::string jane = R"({"kind": "User", "name": "jane"})";
  const std::string dev = R"({"kind": "Group", "name": "dev"})";
  Policy policy;
  grant(policy, "Cluster", "", "everywhere", jane, rule_of("get", "secrets", R"("shared", "common")"));
  grant(policy, "Cluster", "", "other-verb", jane, rule_of("list", "secrets"));
  grant(policy, "Cluster", "", "other-resource", jane, rule_of("get", "pods"));
  grant(policy, "", "a", "some", jane, rule_of("get", "secrets", R"("mine")"));
  grant(policy, "", "b", "all", dev, rule_of("get", "*"));
  grant(policy, "", "c", "group", dev,
        rule_of("get", "secrets", R"("ours")") + "," + rule_of("*", "secrets", R"("x")"));
  grant(policy, "Cluster", "", "operators", R"({"kind": "Group", "name": "ops"})", rule_of("*", "*"));
  const std::vector<User> users = {
      {"jane", "", {}, {}},    {"jane", "", {"dev", "dev"}, {}},          {"joe", "", {"dev"}, {}},
      {"op", "", {"ops"}, {}}, {"root", "", {std::string(kMasters)}, {}}, {"nobody", "", {}, {}}};
  size_t allowed = 0, refused = 0;
  for (const auto& user : users) {
    Attributes attributes;
    attributes.user = &user;
    attributes.verb = "get";
    attributes.resource = "secrets";
    AccessByName access(policy, attributes);
    for (const std::string ns : {"", "a", "b", "c", "d"}) {
      for (const std::string name : {"", "shared", "common", "mine", "ours", "x", "y"}) {
        attributes.namespace_ = ns;
        attributes.name = name;
        const bool want = policy.authorize(attributes).allowed;
        EXPECT_EQ(access.may(ns, name), want) << user.name << " " << ns << "/" << name;
        ++(want ? allowed : refused);
      }
    }
  }
  EXPECT_GT(allowed, 60u) << "both answers must be frequent";
  EXPECT_GT(refused, 60u);
}

}  // namespace
}  // namespace chandler::auth
