// For the tests of the service catalog's rules: tables of writes with who asks, what he may do and what else is there.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "admission/catalog_requester.h"
#include "admission/fake_lookup.h"
#include "admission/rule_rows.h"

namespace chandler::admission {

class CatalogWorld {
 public:
  // "get secrets a/s", "abandon serviceinstances a/", "update serviceinstances/reference a/": rights of the user ann.
  void grant(const std::string& name, std::string_view ns, std::string_view group, std::string_view resource,
             std::string_view verb, std::string_view object = "") {
    bind("", name, ns, group, resource, verb, object);
  }
  void grant_in_cluster(const std::string& name, std::string_view group, std::string_view resource,
                        std::string_view verb, std::string_view object = "") {
    bind("Cluster", name, "", group, resource, verb, object);
  }

  Context context(std::string_view plural, bool namespaced, json::Value& object, const json::Value* old) {
    Context made;
    made.operation = old == nullptr ? registry::Operation::kCreate : registry::Operation::kUpdate;
    made.namespaced = namespaced;
    made.plural = plural;
    made.object = &object;
    made.old = old;
    made.user = &user;
    made.policy = &policy;
    made.lookup = &lookup;
    return made;
  }

  auth::User user{.name = "ann", .uid = "7", .groups = {"dev"}, .extra = {}};
  auth::Policy policy;
  FakeLookup lookup;

 private:
  void bind(const std::string& scope, const std::string& name, std::string_view ns, std::string_view group,
            std::string_view resource, std::string_view verb, std::string_view object) {
    json::Object rule;
    rule["apiGroups"] = json::Array{json::Value(group)};
    rule["resources"] = json::Array{json::Value(resource)};
    rule["verbs"] = json::Array{json::Value(verb)};
    if (!object.empty()) rule["resourceNames"] = json::Array{json::Value(object)};
    json::Object metadata;
    metadata["name"] = name;
    if (!ns.empty()) metadata["namespace"] = ns;
    auto role = document(R"({"kind":")" + scope + R"(Role"})");
    role.as_object()["metadata"] = metadata;
    role.as_object()["rules"] = json::Array{json::Value(std::move(rule))};
    policy.apply(role);
    auto binding = document(R"({"kind":")" + scope + R"(RoleBinding","roleRef":{"kind":")" + scope +
                            R"(Role"},"subjects":[{"kind":"User","name":"ann"}]})");
    binding.as_object()["metadata"] = metadata;
    binding.at("roleRef").as_object()["name"] = name;
    policy.apply(binding);
  }
};

struct PermitRow {
  std::string name;
  std::string reason;
  std::string object;
  std::string old;   // empty: the object is new
  std::string want;  // part of the message; empty: permitted
};

inline void expect_permits(CatalogWorld& world, Permit permit, std::string_view plural, bool namespaced,
                           const std::vector<PermitRow>& rows) {
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    auto object = document(row.object);
    const auto old = row.old.empty() ? json::Value() : document(row.old);
    const auto context = world.context(plural, namespaced, object, row.old.empty() ? nullptr : &old);
    const auto result = permit(context);
    EXPECT_EQ(result.ok(), row.want.empty()) << (result.ok() ? "" : result.error().message);
    if (result.ok()) continue;
    EXPECT_EQ(result.error().http(), 403);
    EXPECT_NE(result.error().message.find(row.want), std::string::npos) << result.error().message;
  }
}

// What a write becomes.
inline json::Value completed(CatalogWorld& world, Change change, std::string_view object, std::string_view old = "",
                             bool namespaced = true) {
  auto value = document(object);
  const auto before = old.empty() ? json::Value() : document(old);
  auto context = world.context("", namespaced, value, old.empty() ? nullptr : &before);
  change(context);
  return value;
}

}  // namespace chandler::admission
