#include "auth/escalation.h"

#include <fmt/format.h>

#include "auth/coverage.h"
#include "base/text.h"

namespace chandler::auth {
namespace {

bool same_member(const json::Value& a, const json::Value& b, std::string_view key) {
  const json::Value absent;
  const auto* in_a = json::find(a, key);
  const auto* in_b = json::find(b, key);
  return json::equal(in_a == nullptr ? absent : *in_a, in_b == nullptr ? absent : *in_b);
}

std::string metadata_text(const json::Value& object, std::string_view key) {
  const auto* metadata = json::find(object, "metadata");
  return metadata == nullptr ? "" : json::string_or(*metadata, key);
}

bool may(const Policy& policy, const User& user, std::string_view verb, std::string_view role_kind, std::string_view ns,
         std::string_view name) {
  Attributes attributes;
  attributes.user = &user;
  attributes.verb = verb;
  attributes.group = kRbacGroup;
  attributes.resource = role_kind == "ClusterRole" ? "clusterroles" : "roles";
  attributes.namespace_ = ns;
  attributes.name = name;
  return policy.authorize(attributes).allowed;
}

// `verb`: what lifts the rule.
Result<void> require(const Policy& policy, const User& user, std::string_view ns, const std::vector<Rule>& wanted,
                     std::string_view verb, ObjectRef about) {
  const auto missing = missing_rules(policy.rules_for(user, ns), wanted);
  if (missing.empty()) return {};
  auto why = fmt::format("user {} (groups: {}) would grant ", quoted(user.name), join(user.groups, ", "));
  if (missing.count > 0) {
    why += "permissions that it does not hold itself:";
    for (const auto& line : missing.shown) why += "\n" + line;
    if (missing.count > missing.shown.size()) why += fmt::format("\nand {} more", missing.count - missing.shown.size());
    if (!missing.complete) why += "\nand perhaps others: there are too many rules to compare";
  } else {
    why += fmt::format(
        "more permissions than the server compares with the many rules that it holds: split the role, let the user "
        "hold what it grants by fewer rules, or allow the user to {} the role",
        verb);
  }
  return fail(forbidden(std::move(about), why));
}

}  // namespace

Result<void> check_role_escalation(const Policy& policy, const User& user, const json::Value& role,
                                   const json::Value* old) {
  if (user.in_group(kMasters)) return {};
  if (old != nullptr && same_member(role, *old, "rules") && same_member(role, *old, "aggregationRule")) return {};
  const auto kind = json::string_or(role, "kind");
  const auto ns = metadata_text(role, "namespace");
  const auto name = metadata_text(role, "name");
  // As for every create, a grant that is limited to names does not extend to what does not exist yet.
  if (may(policy, user, "escalate", kind, ns, old == nullptr ? "" : name)) return {};
  auto wanted = rules_of(role);
  const auto* aggregation = json::find(role, "aggregationRule");
  if (aggregation != nullptr && !aggregation->is_null()) {
    // An aggregated role may come to hold anything.
    for (auto& rule : full_authority()) wanted.push_back(std::move(rule));
  }
  return require(policy, user, ns, wanted, "escalate",
                 {std::string(kRbacGroup), kind == "ClusterRole" ? "clusterroles" : "roles", name, ""});
}

Result<void> check_binding_escalation(const Policy& policy, const User& user, const json::Value& binding,
                                      const json::Value* old) {
  if (user.in_group(kMasters)) return {};
  if (old != nullptr && same_member(binding, *old, "roleRef") && same_member(binding, *old, "subjects")) return {};
  const auto ns = metadata_text(binding, "namespace");
  const auto* ref = json::find(binding, "roleRef");
  const auto role_kind = ref == nullptr ? "" : json::string_or(*ref, "kind");
  const auto role_name = ref == nullptr ? "" : json::string_or(*ref, "name");
  if (may(policy, user, "bind", role_kind, ns, role_name)) return {};
  const auto* resource =
      json::string_or(binding, "kind") == "ClusterRoleBinding" ? "clusterrolebindings" : "rolebindings";
  const auto role = policy.role(role_kind, role_kind == "ClusterRole" ? "" : ns, role_name);
  // The reference is about the binding's resource, as clients know it.
  if (!role) return fail(not_found({std::string(kRbacGroup), resource, role_name, ""}));
  return require(policy, user, ns, role->rules, "bind",
                 {std::string(kRbacGroup), resource, metadata_text(binding, "name"), ""});
}

}  // namespace chandler::auth
