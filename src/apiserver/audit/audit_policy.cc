#include "apiserver/audit/audit_policy.h"

#include <algorithm>

namespace chandler::apiserver {
namespace {

bool contains(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

// "pods" is the object alone, "pods/status" one part of it, "pods/*" every part, "*/status" that part of everything.
bool names_resource(std::string_view pattern, const RequestInfo& info) {
  if (pattern == "*") return true;
  const size_t slash = pattern.find('/');
  if (slash == std::string_view::npos) return info.subresource.empty() && pattern == info.resource;
  const auto resource = pattern.substr(0, slash);
  const auto part = pattern.substr(slash + 1);
  if (info.subresource.empty()) return false;
  return (resource == "*" || resource == info.resource) && (part == "*" || part == info.subresource);
}

bool names_path(std::string_view pattern, std::string_view path) {
  if (pattern.ends_with("*")) return path.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == path;
}

// Bodies that hold a credential: in both directions, and whatever an operator asks for.
bool carries_credentials(const RequestInfo& info) {
  if (!info.is_resource) return false;
  if (info.group.empty() && info.resource == "secrets") return true;
  if (info.group.empty() && info.resource == "serviceaccounts" && info.subresource == "token") return true;
  return info.group == "authentication.k8s.io" && info.resource == "tokenreviews";
}

}  // namespace

std::string_view audit_level_name(AuditLevel level) {
  switch (level) {
    case AuditLevel::kNone:
      return "None";
    case AuditLevel::kMetadata:
      return "Metadata";
    case AuditLevel::kRequest:
      return "Request";
    case AuditLevel::kRequestResponse:
      return "RequestResponse";
  }
  return "";
}

std::string_view audit_stage_name(AuditStage stage) {
  switch (stage) {
    case AuditStage::kRequestReceived:
      return "RequestReceived";
    case AuditStage::kResponseStarted:
      return "ResponseStarted";
    case AuditStage::kResponseComplete:
      return "ResponseComplete";
    case AuditStage::kPanic:
      return "Panic";
  }
  return "";
}

AuditPolicy AuditPolicy::metadata_of_everything() {
  AuditPolicy policy;
  Rule rule;
  rule.verdict.level = AuditLevel::kMetadata;
  rule.verdict.omitted_stages = static_cast<unsigned>(AuditStage::kRequestReceived);
  policy.rules_.push_back(std::move(rule));
  return policy;
}

AuditVerdict AuditPolicy::decide(const RequestInfo& info, const auth::User* user, bool is_secret) const {
  for (const auto& rule : rules_) {
    if (!matches(rule, info, user)) continue;
    auto verdict = rule.verdict;
    if (is_secret || carries_credentials(info)) verdict.level = std::min(verdict.level, AuditLevel::kMetadata);
    return verdict;
  }
  return {};
}

bool AuditPolicy::matches(const Rule& rule, const RequestInfo& info, const auth::User* user) {
  if (!rule.users.empty() && (user == nullptr || !contains(rule.users, user->name))) return false;
  if (!rule.user_groups.empty()) {
    if (user == nullptr) return false;
    const auto& groups = user->groups;
    if (std::none_of(groups.begin(), groups.end(), [&](const auto& g) { return contains(rule.user_groups, g); })) {
      return false;
    }
  }
  if (!rule.verbs.empty() && !contains(rule.verbs, "*") && !contains(rule.verbs, info.verb)) return false;
  if (!rule.namespaces.empty() || !rule.resources.empty()) return matches_resource(rule, info);
  if (rule.urls.empty()) return true;
  return !info.is_resource &&
         std::any_of(rule.urls.begin(), rule.urls.end(), [&](const auto& url) { return names_path(url, info.path); });
}

bool AuditPolicy::matches_resource(const Rule& rule, const RequestInfo& info) {
  if (!info.is_resource) return false;
  if (!rule.namespaces.empty() && !contains(rule.namespaces, info.ns)) return false;
  if (rule.resources.empty()) return true;
  return std::any_of(rule.resources.begin(), rule.resources.end(), [&](const Resources& entry) {
    if (entry.group != info.group) return false;
    if (entry.resources.empty()) return true;
    if (!entry.names.empty() && !contains(entry.names, info.name)) return false;
    return std::any_of(entry.resources.begin(), entry.resources.end(),
                       [&](const auto& pattern) { return names_resource(pattern, info); });
  });
}

}  // namespace chandler::apiserver
