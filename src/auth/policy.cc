#include "auth/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "auth/first_times.h"
#include "base/text.h"
#include "base/text_hash.h"

namespace chandler::auth {
namespace {

constexpr std::string_view kUser = "User";
constexpr std::string_view kGroup = "Group";

std::string full_name(std::string_view ns, std::string_view name) {
  return quoted(ns.empty() ? std::string(name) : fmt::format("{}/{}", ns, name));
}

// A Role is looked up in the namespace of the binding that names it.
std::string_view role_namespace(const Binding& binding) {
  return binding.role_kind == "ClusterRole" ? std::string_view() : std::string_view(binding.ns);
}

void sort_unique(std::vector<std::string>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

std::shared_ptr<const Binding> read_binding(const json::Value& object, std::string kind, std::string ns,
                                            std::string name) {
  auto binding = std::make_shared<Binding>();
  binding->kind = std::move(kind);
  binding->ns = std::move(ns);
  binding->name = std::move(name);
  if (const auto* ref = json::find(object, "roleRef")) {
    binding->role_kind = json::string_or(*ref, "kind");
    binding->role_name = json::string_or(*ref, "name");
  }
  const auto* subjects = json::array_at(object, "subjects");
  if (subjects == nullptr) return binding;
  for (const auto& subject : *subjects) {
    const auto subject_kind = json::string_or(subject, "kind");
    auto subject_name = json::string_or(subject, "name");
    if (subject_name.empty()) continue;
    if (subject_kind == kUser) {
      binding->users.push_back(std::move(subject_name));
    } else if (subject_kind == kGroup) {
      binding->groups.push_back(std::move(subject_name));
    } else if (subject_kind == "ServiceAccount") {
      // A RoleBinding may leave its own namespace out.
      const auto account_ns = json::string_or(subject, "namespace", binding->ns);
      if (!account_ns.empty()) binding->users.push_back(service_account_user(account_ns, subject_name));
    }
  }
  sort_unique(binding->users);
  sort_unique(binding->groups);
  return binding;
}

bool by_name(const std::shared_ptr<const Binding>& a, const std::shared_ptr<const Binding>& b) {
  return a->name < b->name;
}

}  // namespace

size_t Policy::KeyHash::operator()(const KeyView& key) const {
  constexpr size_t kOdd = 0x9E3779B97F4A7C15;
  return ((hash_text(key.kind) * kOdd + hash_text(key.ns)) * kOdd + hash_text(key.name)) * kOdd;
}

std::string Decision::reason() const {
  if (binding) {
    return fmt::format("RBAC: allowed by {} {} of {} {}", binding->kind, full_name(binding->ns, binding->name),
                       binding->role_kind, quoted(binding->role_name));
  }
  if (broken) {
    return fmt::format("RBAC: {} {} refers to {} {}, which does not exist", broken->kind,
                       full_name(broken->ns, broken->name), broken->role_kind, quoted(broken->role_name));
  }
  return "";
}

template <typename Visit>
bool Policy::visit_subject(const KeyView& subject, Visit& visit) const {
  const auto* bindings = by_subject_.find(subject);
  if (bindings == nullptr) return true;
  return std::all_of(bindings->begin(), bindings->end(), visit);
}

// Calls visit(binding) until it says false; `scope` empty: for cluster-wide bindings. False: it said so.
template <typename Visit>
bool Policy::visit_bindings_in(const User& user, std::string_view scope, Visit& visit) const {
  if (!visit_subject({kUser, scope, user.name}, visit)) return false;
  FirstTimes<std::string_view> groups;  // reviews and tokens may name one many times
  return std::all_of(user.groups.begin(), user.groups.end(), [&](const std::string& group) {
    return !groups.add(group) || visit_subject({kGroup, scope, group}, visit);
  });
}

// The same for cluster-wide bindings, and then for those of a namespace.
template <typename Visit>
void Policy::visit_bindings(const User& user, std::string_view ns, Visit visit) const {
  if (visit_bindings_in(user, "", visit) && !ns.empty()) visit_bindings_in(user, ns, visit);
}

const Role* Policy::role_of(const Binding& binding) const {
  const auto* found = roles_.find(KeyView{binding.role_kind, role_namespace(binding), binding.role_name});
  return found == nullptr ? nullptr : found->get();
}

Decision Policy::authorize(const Attributes& attributes) const {
  Decision decision;
  if (attributes.user->in_group(kMasters)) {
    decision.allowed = true;
    return decision;
  }
  // Paths are no part of any namespace.
  const std::string_view ns = attributes.is_resource ? std::string_view(attributes.namespace_) : std::string_view();
  const RuleMatch wish(attributes);
  FirstTimes<const Role*> roles;  // many bindings may name one
  visit_bindings(*attributes.user, ns, [&](const std::shared_ptr<const Binding>& binding) {
    const auto* role = role_of(*binding);
    if (role == nullptr) {
      if (!decision.broken) decision.broken = binding;
      return true;
    }
    if (!roles.add(role)) return true;
    const auto& rules = role->rules;
    if (!std::any_of(rules.begin(), rules.end(), [&](const Rule& rule) { return wish.matches(rule); })) return true;
    decision = {true, binding, nullptr};
    return false;
  });
  return decision;
}

AllowedNames Policy::allowed_names(const Attributes& attributes) const {
  AllowedNames allowed;
  allowed.all = attributes.user->in_group(kMasters);
  const RuleMatch wish(attributes);
  FirstTimes<const Role*> roles;
  const auto add = [&](const std::shared_ptr<const Binding>& binding) {
    const auto* role = role_of(*binding);
    if (role == nullptr || !roles.add(role)) return true;
    for (const auto& rule : role->rules) {
      if (!wish.matches_but_name(rule)) continue;
      allowed.all = allowed.all || rule.names.empty();
      if (allowed.all) return false;
      allowed.names.insert(rule.names.begin(), rule.names.end());
    }
    return true;
  };
  if (!allowed.all) visit_bindings_in(*attributes.user, attributes.namespace_, add);
  return allowed;
}

std::vector<Rule> Policy::rules_for(const User& user, std::string_view ns) const {
  if (user.in_group(kMasters)) return full_authority();
  std::vector<Rule> rules;
  std::set<std::pair<const Role*, bool>> seen;
  visit_bindings(user, ns, [&](const std::shared_ptr<const Binding>& binding) {
    const auto* role = role_of(*binding);
    const bool cluster_wide = binding->ns.empty();
    if (role == nullptr || !seen.insert({role, cluster_wide}).second) return true;
    for (const auto& rule : role->rules) {
      // Paths are granted only cluster-wide.
      if (rule.resources.empty() && !cluster_wide) continue;
      rules.push_back(rule);
      if (!cluster_wide) rules.back().urls.clear();
    }
    return true;
  });
  return rules;
}

std::shared_ptr<const Role> Policy::role(std::string_view kind, std::string_view ns, std::string_view name) const {
  const auto* found = roles_.find(KeyView{kind, ns, name});
  return found == nullptr ? nullptr : *found;
}

void Policy::apply(const json::Value& object) {
  auto kind = json::string_or(object, "kind");
  const bool namespaced = kind == "Role" || kind == "RoleBinding";
  const auto* metadata = json::find(object, "metadata");
  if (metadata == nullptr) return;
  auto ns = namespaced ? json::string_or(*metadata, "namespace") : std::string();
  auto name = json::string_or(*metadata, "name");
  // A namespaced object without a namespace must not turn into a cluster-wide grant.
  if (name.empty() || (namespaced && ns.empty())) return;
  const Key key{kind, ns, name};
  if (kind == "Role" || kind == "ClusterRole") {
    roles_.at(key) = std::make_shared<Role>(Role{rules_of(object)});
  } else if (kind == "RoleBinding" || kind == "ClusterRoleBinding") {
    remove(kind, ns, name);
    auto binding = read_binding(object, std::move(kind), std::move(ns), std::move(name));
    index(binding);
    bindings_.at(key) = std::move(binding);
  }
}

void Policy::remove(std::string_view kind, std::string_view ns, std::string_view name) {
  const KeyView key{kind, ns, name};
  roles_.erase(key);
  if (const auto* found = bindings_.find(key)) {
    const auto binding = *found;
    unindex(*binding);
    bindings_.erase(key);
  }
}

void Policy::index(const std::shared_ptr<const Binding>& binding) {
  const auto add = [&](std::string_view subject_kind, const std::string& subject) {
    auto& list = by_subject_.at({std::string(subject_kind), binding->ns, subject});
    list.insert(std::lower_bound(list.begin(), list.end(), binding, by_name), binding);
  };
  for (const auto& user : binding->users) add(kUser, user);
  for (const auto& group : binding->groups) add(kGroup, group);
}

void Policy::unindex(const Binding& binding) {
  const auto drop = [&](std::string_view subject_kind, const std::string& subject) {
    const Key key{std::string(subject_kind), binding.ns, subject};
    auto& list = by_subject_.at(key);
    list.erase(std::remove_if(list.begin(), list.end(), [&](const auto& item) { return item->name == binding.name; }),
               list.end());
    if (list.empty()) by_subject_.erase(key);
  };
  for (const auto& user : binding.users) drop(kUser, user);
  for (const auto& group : binding.groups) drop(kGroup, group);
}

}  // namespace chandler::auth
