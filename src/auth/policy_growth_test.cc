// What a policy costs with many roles, bindings and subjects.
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "auth/policy.h"
#include "auth/reviews.h"
#include "support/growth.h"

namespace chandler::auth {
namespace {

using testing::Growth;

const User kJane{"jane", "", {"dev"}, {}};

json::Value role(size_t i, size_t rules = 1) {
  json::Array list;
  for (size_t k = 0; k < rules; ++k) {
    list.push_back(json::Object{{"verbs", json::Array{"get"}},
                                {"apiGroups", json::Array{""}},
                                {"resources", json::Array{"r" + std::to_string(k)}}});
  }
  return json::Object{
      {"kind", "ClusterRole"}, {"metadata", json::Object{{"name", "role" + std::to_string(i)}}}, {"rules", list}};
}

json::Value binding_to(size_t of_role, size_t i, json::Array subjects) {
  return json::Object{{"kind", "ClusterRoleBinding"},
                      {"metadata", json::Object{{"name", "binding" + std::to_string(i)}}},
                      {"roleRef", json::Object{{"kind", "ClusterRole"}, {"name", "role" + std::to_string(of_role)}}},
                      {"subjects", std::move(subjects)}};
}

json::Value binding(size_t i, json::Array subjects) { return binding_to(i, i, std::move(subjects)); }

json::Object subject(std::string_view kind, const std::string& name) {
  return {{"kind", kind}, {"name", name}, {"namespace", "ns"}};
}

// Jane has a role of her own in each of so many bindings.
std::shared_ptr<Policy> policy_of(size_t bindings) {
  auto policy = std::make_shared<Policy>();
  for (size_t i = 0; i < bindings; ++i) {
    policy->apply(role(i));
    policy->apply(binding(i, {subject("User", "jane")}));
  }
  return policy;
}

// Jane has one role of so many rules, from each of so many bindings.
std::shared_ptr<Policy> policy_of_one_role(size_t size) {
  auto policy = std::make_shared<Policy>();
  policy->apply(role(0, size));
  for (size_t i = 0; i < size; ++i) policy->apply(binding_to(0, i, {subject("User", "jane")}));
  return policy;
}

Attributes wish() {
  Attributes attributes;
  attributes.user = &kJane;
  attributes.verb = "delete";
  attributes.resource = "pods";
  return attributes;
}

TEST(Policy, CostsInProportionToRolesAndBindings) {
  struct Row {
    std::string name;
    std::string reason;
    std::function<Growth::Work(size_t)> prepare;
  };
  const auto apply_binding_to = [](std::string_view kind, size_t names) {
    return [kind, names](size_t size) -> Growth::Work {
      json::Array subjects;
      for (size_t i = 0; i < size; ++i) subjects.push_back(subject(kind, "s" + std::to_string(i % names)));
      return [object = binding(0, std::move(subjects))] {
        Policy policy;
        policy.apply(object);
        policy.remove("ClusterRoleBinding", "", "binding0");
      };
    };
  };
  const std::vector<Row> rows = {
      {"users", "many subjects of one binding", apply_binding_to("User", 1'000'000)},
      {"groups", "many subjects of one binding", apply_binding_to("Group", 1'000'000)},
      {"accounts", "many subjects of one binding", apply_binding_to("ServiceAccount", 1'000'000)},
      {"same user", "named over and over", apply_binding_to("User", 1)},
      {"rules", "of one role",
       [](size_t size) -> Growth::Work {
         return [object = role(0, size)] {
           Policy policy;
           policy.apply(object);
         };
       }},
      {"load", "many bindings of one user", [](size_t size) -> Growth::Work { return [size] { policy_of(size); }; }},
      {"authorize", "no role of many allows it",
       [](size_t size) -> Growth::Work {
         return [policy = policy_of(size)] { EXPECT_FALSE(policy->authorize(wish()).allowed); };
       }},
      {"authorize, one role", "a role that does not allow it is not searched again for each of its bindings",
       [](size_t size) -> Growth::Work {
         return [policy = policy_of_one_role(size)] {
           auto attributes = wish();
           attributes.verb = "get";
           EXPECT_FALSE(policy->authorize(attributes).allowed);
         };
       }},
      {"authorize, same group", "a group that a user has many times counts once",
       [](size_t size) -> Growth::Work {
         auto policy = std::make_shared<Policy>();
         for (size_t i = 0; i < size; ++i) {
           policy->apply(role(i));
           policy->apply(binding(i, {subject("Group", "dev")}));
         }
         auto user = std::make_shared<User>(kJane);
         user->groups.assign(size, "dev");
         return [policy, user] {
           auto attributes = wish();
           attributes.user = user.get();
           EXPECT_FALSE(policy->authorize(attributes).allowed);
           EXPECT_FALSE(policy->rules_for(*user, "ns").empty());
         };
       }},
      {"authorize, groups of one binding", "the role that they share is searched once",
       [](size_t size) -> Growth::Work {
         auto user = std::make_shared<User>(kJane);
         json::Array subjects;
         for (size_t i = 0; i < size; ++i) {
           user->groups.push_back("g" + std::to_string(i));
           subjects.push_back(subject("Group", user->groups.back()));
         }
         auto policy = std::make_shared<Policy>();
         policy->apply(role(0, size));
         policy->apply(binding(0, std::move(subjects)));
         return [policy, user] {
           auto attributes = wish();
           attributes.user = user.get();
           attributes.verb = "get";
           EXPECT_FALSE(policy->authorize(attributes).allowed);
         };
       }},
      {"write of a role", "its bindings refer to it by name",
       [](size_t size) -> Growth::Work {
         return [policy = policy_of_one_role(size), object = role(0, size)] {
           Policy next(*policy);
           next.apply(object);
         };
       }},
      {"rules of a user", "from many roles",
       [](size_t size) -> Growth::Work {
         return [policy = policy_of(size), size] { EXPECT_EQ(policy->rules_for(kJane, "ns").size(), size); };
       }},
      {"review", "lists the rules of many roles",
       [](size_t size) -> Growth::Work {
         const json::Value request = json::Object{{"spec", json::Object{{"namespace", "ns"}}}};
         return [policy = policy_of(size), request] {
           EXPECT_TRUE(self_subject_rules_review(request, kJane, *policy).ok());
         };
       }},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    EXPECT_TRUE(testing::is_linear(800, row.prepare));
  }
}

}  // namespace
}  // namespace chandler::auth
