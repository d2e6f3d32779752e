#include "svcat/catalog/access.h"

#include <fmt/format.h>

#include "base/text.h"
#include "svcat/catalog/fields.h"

namespace chandler::svcat {
namespace {

constexpr std::string_view kServiceAccount = "system:serviceaccount:";

// What authentication would find out about the user.
json::Array groups_of(std::string_view user) {
  json::Array groups;
  if (user.starts_with(kServiceAccount)) {
    const auto ns = split(user.substr(kServiceAccount.size()), ':').front();
    groups.emplace_back("system:serviceaccounts");
    groups.emplace_back(fmt::format("system:serviceaccounts:{}", ns));
  }
  groups.emplace_back("system:authenticated");
  return groups;
}

}  // namespace

Result<bool> is_allowed(Catalog& catalog, const AccessQuestion& question) {
  const bool about_self = question.user.empty();
  json::Object attributes{{"verb", question.verb},
                          {"group", question.resource.group},
                          {"version", question.resource.version},
                          {"resource", question.resource.plural}};
  if (!question.ns.empty()) attributes["namespace"] = question.ns;
  if (!question.subresource.empty()) attributes["subresource"] = question.subresource;
  json::Object spec{{"resourceAttributes", std::move(attributes)}};
  if (!about_self) {
    spec["user"] = question.user;
    spec["groups"] = groups_of(question.user);
  }
  const Kind kind{
      .name = about_self ? "SelfSubjectAccessReview" : "SubjectAccessReview",
      .version = "authorization.k8s.io/v1",
      .resource = {"authorization.k8s.io", "v1", about_self ? "selfsubjectaccessreviews" : "subjectaccessreviews"},
      .noun = "review",
      .namespaced = false};
  const json::Value review = json::Object{{"apiVersion", kind.version}, {"kind", kind.name}, {"spec", std::move(spec)}};
  CH_TRY_LET(answer, catalog.create(kind, "", review));
  return true_at(answer, {"status", "allowed"});
}

}  // namespace chandler::svcat
