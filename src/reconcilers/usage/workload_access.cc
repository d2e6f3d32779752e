#include "reconcilers/usage/workload_access.h"

#include <fmt/format.h>

#include "auth/attributes.h"
#include "base/text.h"

namespace chandler::reconcilers {
namespace {

using Decision = client::Access::Decision;

constexpr std::string_view kAccountPrefix = "system:serviceaccount:";

// How a RoleBinding names the user.
std::string subject_of(const auth::User& user) {
  const auto parts = split(user.name, ':');
  if (user.name.starts_with(kAccountPrefix) && parts.size() == 4) {
    return fmt::format("{{kind: ServiceAccount, namespace: {}, name: {}}}", parts[2], parts[3]);
  }
  return fmt::format("{{apiGroup: rbac.authorization.k8s.io, kind: User, name: {}}}", quoted(user.name));
}

std::string role_for(const auth::User& user, const std::vector<std::string>& verbs, const WorkloadQuestion& question) {
  std::vector<std::string> shown;
  shown.reserve(verbs.size());
  for (const auto& verb : verbs) shown.push_back(quoted(verb));
  const std::string prefix = question.ns.empty() ? "Cluster" : "";
  const std::string place = question.ns.empty() ? "" : fmt::format(", namespace: {}", question.ns);
  const std::string name = fmt::format("binding-usage-{}", question.kind.plural);
  return fmt::format(
      "apiVersion: rbac.authorization.k8s.io/v1\n"
      "kind: {0}Role\n"
      "metadata: {{name: {1}{2}}}\n"
      "rules:\n"
      "- apiGroups: [{3}]\n"
      "  resources: [{4}]\n"
      "  verbs: [{5}]\n"
      "---\n"
      "apiVersion: rbac.authorization.k8s.io/v1\n"
      "kind: {0}RoleBinding\n"
      "metadata: {{name: {1}{2}}}\n"
      "roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: {0}Role, name: {1}}}\n"
      "subjects:\n"
      "- {6}\n",
      prefix, name, place, quoted(question.kind.group), quoted(question.kind.plural), join(shown, ", "),
      subject_of(user));
}

// `user` is named in messages; `asked` null: whom the controllers act as.
WorkloadAnswer may_change(const auth::User& user, const auth::User* asked, const WorkloadQuestion& question,
                          controller::View& view) {
  std::vector<std::string> missing;
  bool unknown = false;
  for (const char* const verb : {"get", "update"}) {
    auth::Attributes attributes;
    attributes.user = asked;
    attributes.verb = verb;
    attributes.group = question.kind.group;
    attributes.version = question.version;
    attributes.resource = question.kind.plural;
    attributes.namespace_ = question.ns;
    attributes.name = question.name;
    const auto decision = view.may(attributes);
    unknown = unknown || decision == Decision::kUnknown;
    if (decision == Decision::kDenied) missing.emplace_back(verb);
  }
  if (unknown) return {Decision::kUnknown, ""};
  if (missing.empty()) return {Decision::kAllowed, ""};
  // Controllers follow what they may change; over HTTP that takes rights of its own.
  const std::vector<std::string> following = {"get", "list", "update", "watch"};
  return {Decision::kDenied,
          fmt::format("User {} may not {} {} in API group {} {}. This would grant it:\n{}", quoted(user.name),
                      join(missing, " and "), question.kind.plural, quoted(question.kind.group),
                      question.ns.empty() ? std::string("in all namespaces")
                                          : fmt::format("in namespace {}", quoted(question.ns)),
                      role_for(user, asked == nullptr ? following : missing, question))};
}

}  // namespace

WorkloadAnswer controllers_may_change(const auth::User& controller, const WorkloadQuestion& question,
                                      controller::View& view) {
  return may_change(controller, nullptr, question, view);
}

WorkloadAnswer requester_may_change(const auth::User& requester, const WorkloadQuestion& question,
                                    controller::View& view) {
  return may_change(requester, &requester, question, view);
}

}  // namespace chandler::reconcilers
