#include <string>

#include <fmt/format.h>

#include "admission/fields.h"
#include "admission/kind_rules.h"
#include "auth/escalation.h"
#include "auth/policy.h"
#include "meta/names.h"
#include "meta/selector.h"

namespace chandler::admission {
namespace {

constexpr size_t kMostRequirements = 1'000;

void check_rule(const json::Value& rule, bool namespaced, const meta::Path& path, meta::FieldErrors& errors) {
  const auto need = [&](std::string_view field, std::string_view why) {
    if (!filled(rule, field)) errors.required(path.member(field), why);
  };
  if (present(rule, "verbs")) need("verbs", "a rule names at least one verb");
  if (filled(rule, "nonResourceURLs")) {
    const auto& urls = member(rule, "nonResourceURLs");
    const auto here = path.member("nonResourceURLs");
    if (namespaced) errors.invalid(here, urls, "URLs belong to no namespace; use a ClusterRole");
    if (filled(rule, "apiGroups") || filled(rule, "resources") || filled(rule, "resourceNames")) {
      errors.invalid(here, urls, "a rule is either for resources or for URLs");
    }
    return;
  }
  need("apiGroups", "a rule for resources names their API groups; \"\" is the core group");
  need("resources", "a rule names at least one resource");
}

void check_subject(const json::Value& subject, bool namespaced, const meta::Path& path, meta::FieldErrors& errors) {
  const auto kind = json::string_or(subject, "kind");
  const auto name = json::string_or(subject, "name");
  const auto group = json::string_or(subject, "apiGroup");
  if (name.empty() && present(subject, "name")) errors.required(path.member("name"));
  if (kind == "ServiceAccount") {
    if (auto fault = meta::check_dns1123_subdomain(name); !name.empty() && !fault.empty()) {
      errors.invalid(path.member("name"), name, fault);
    }
    if (!group.empty()) errors.not_supported(path.member("apiGroup"), text(group), {""});
    // In a RoleBinding it is the binding's own.
    if (!namespaced && !filled(subject, "namespace")) errors.required(path.member("namespace"));
  } else if ((kind == "User" || kind == "Group") && group != auth::kRbacGroup) {
    errors.not_supported(path.member("apiGroup"), text(group), {std::string(auth::kRbacGroup)});
  }
}

}  // namespace

void default_role(Context& context) {
  auto& object = context.object->as_object();
  // No rules are written as null.
  if (!filled(object.if_contains("rules"))) object["rules"] = nullptr;
}

void check_role(const Context& context, meta::FieldErrors& errors) {
  const auto& role = *context.object;
  each(role, "rules", meta::Path(),
       [&](const json::Value& rule, const meta::Path& path) { check_rule(rule, context.namespaced, path, errors); });
  const auto& aggregation = member(role, "aggregationRule");
  if (aggregation.is_null()) return;
  const meta::Path path("aggregationRule");
  if (!filled(aggregation, "clusterRoleSelectors")) {
    errors.required(path.member("clusterRoleSelectors"), "says which roles are put together");
  }
  size_t requirements = 0;
  each(aggregation, "clusterRoleSelectors", path, [&](const json::Value& selector, const meta::Path& here) {
    auto parsed = meta::LabelSelector::from_json(selector, here.str());
    if (!parsed.ok()) {
      for (const auto& cause : parsed.error().causes) errors.add(cause);
    } else if (parsed->empty()) {
      errors.invalid(here, selector, "an empty selector would select every role");
    } else {
      requirements += parsed->requirements().size();
    }
  });
  if (requirements > kMostRequirements) {
    errors.forbidden(path.member("clusterRoleSelectors"),
                     fmt::format("the selectors have {} requirements; at most {} are allowed, because each is compared "
                                 "with every ClusterRole whenever one of them changes",
                                 requirements, kMostRequirements));
  }
}

Result<void> permit_role(const Context& context) {
  return auth::check_role_escalation(*context.policy, *context.user, *context.object, context.old);
}

void default_role_binding(Context& context) {
  auto& object = context.object->as_object();
  drop_if_empty(object, "subjects");
  each(object, "subjects", [](json::Object& subject) {
    const auto* kind = subject.if_contains("kind");
    if (kind == nullptr || (*kind != "User" && *kind != "Group")) return;
    if (!filled(subject.if_contains("apiGroup"))) subject["apiGroup"] = text(auth::kRbacGroup);
  });
  if (auto* ref = object.if_contains("roleRef"); ref != nullptr && ref->is_object()) {
    if (!filled(*ref, "apiGroup")) ref->get_object()["apiGroup"] = text(auth::kRbacGroup);
  }
}

void check_role_binding(const Context& context, meta::FieldErrors& errors) {
  const auto& binding = *context.object;
  const auto& ref = member(binding, "roleRef");
  const meta::Path path("roleRef");
  if (const auto name = json::string_at(ref, "name")) {
    if (name->empty()) {
      errors.required(path.member("name"));
    } else if (auto fault = meta::check_path_segment(*name); !fault.empty()) {
      errors.invalid(path.member("name"), *name, fault);
    }
  }
  each(binding, "subjects", meta::Path(), [&](const json::Value& subject, const meta::Path& here) {
    check_subject(subject, context.namespaced, here, errors);
  });
}

Result<void> permit_role_binding(const Context& context) {
  return auth::check_binding_escalation(*context.policy, *context.user, *context.object, context.old);
}

}  // namespace chandler::admission
