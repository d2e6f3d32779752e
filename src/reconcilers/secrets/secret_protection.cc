#include "reconcilers/secrets/secret_protection.h"

#include "reconcilers/catalog/document.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/catalog/parameters.h"
#include "resolve/secret_transform.h"

namespace chandler::reconcilers {

std::optional<client::Write> protect_secret(const client::Object& secret, std::string_view finalizer) {
  if (!secret || secret.deleting() || has_finalizer(secret, finalizer)) return std::nullopt;
  Draft draft(kSecrets, secret);
  draft.add_finalizer(finalizer);
  return std::move(draft).update();
}

std::set<std::string> named_secrets(const client::Object& user) {
  std::set<std::string> names;
  const auto& spec = spec_of(user);
  if (const auto* sources = json::array_at(spec, "parametersFrom")) {
    for (const auto& source : *sources) names.insert(text_at(member(source, "secretKeyRef"), "name"));
  }
  for (const std::string_view field : {"secretTransform", "secretTransforms"}) {  // two spellings
    if (json::array_at(spec, field) == nullptr) continue;
    meta::FieldErrors ignored;  // what cannot be read reads no secret
    const auto transforms = resolve::parse_secret_transforms(member(spec, field), meta::Path(), ignored);
    for (const auto& secret : resolve::referenced_secrets(transforms, user.ns())) {
      if (secret.namespace_name == user.ns()) names.insert(secret.name);
    }
  }
  names.erase("");
  return names;
}

std::optional<controller::Step> protect_secrets_of(const client::Object& user, controller::View& view) {
  std::vector<client::Write> writes;
  for (const auto& name : named_secrets(user)) {
    auto write = protect_secret(view.get(kSecrets, user.ns(), name), kParameterSecretFinalizer);
    if (!write) continue;
    const auto access = check_secret_access(spec_of(user), user.ns(), name, view);
    if (!access.ok() && access.error().reason.empty()) return controller::Step::done();  // being asked for: wait
    if (access.ok()) writes.push_back(*std::move(write));
  }
  if (writes.empty()) return std::nullopt;
  controller::Step step;
  step.stages.push_back(std::move(writes));
  return step;
}

}  // namespace chandler::reconcilers
