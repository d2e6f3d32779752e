#include "reconcilers/secrets/secret_keeper.h"

#include <fmt/format.h>

#include "base/text.h"
#include "reconcilers/broker/broker_reasons.h"
#include "reconcilers/broker/broker_view.h"
#include "reconcilers/secrets/secret_protection.h"

namespace chandler::reconcilers {
namespace {

constexpr size_t kUsersShown = 5;

// There are few brokers, and few secrets for which this is asked.
std::vector<std::string> users_of(const client::Object& secret, controller::View& view) {
  const BrokerView::SecretRef wanted{std::string(secret.ns()), std::string(secret.name())};
  std::vector<std::string> users;
  for (const auto scope : {Scope::kCluster, Scope::kNamespace}) {
    client::Selection selection;
    if (scope == Scope::kNamespace) selection.ns = secret.ns();
    for (auto& object : view.list(names_of(scope).brokers, selection)) {
      const BrokerView broker(scope, std::move(object));
      if (broker.auth_secret() == wanted) users.push_back(broker.kind_and_name());
    }
  }
  return users;
}

std::string text_of(std::vector<std::string> users) {
  const auto count = users.size();
  if (count <= kUsersShown) return join(users, ", ");
  users.resize(kUsersShown);
  return fmt::format("{} and {} more", join(users, ", "), count - kUsersShown);
}

}  // namespace

std::vector<client::KindName> SecretKeeper::kinds() const { return {kSecrets}; }

std::vector<client::KindName> SecretKeeper::reads() const { return {kClusterBrokers, kBrokers}; }

controller::Step SecretKeeper::reconcile(const client::KindName& kind, const client::Object& secret,
                                         controller::View& view) const {
  if (!secret.document().has_finalizers() || !has_finalizer(secret, kSecretFinalizer)) return controller::Step::done();
  const auto users = users_of(secret, view);
  Draft draft(kind, secret);
  if (users.empty()) {
    draft.remove_finalizer(kSecretFinalizer);
    if (!annotation_of(secret, kSecretUsersAnnotation).empty()) {
      draft.set_annotation(kSecretUsersAnnotation, std::nullopt);
    }
    return controller::Step::write(std::move(draft).update());
  }
  // Only a secret that somebody wants to be rid of has to explain itself.
  if (!secret.deleting() || annotation_of(secret, kSecretUsersAnnotation) == text_of(users)) {
    return controller::Step::done();
  }
  draft.set_annotation(kSecretUsersAnnotation, text_of(users));
  auto step = controller::Step::write(std::move(draft).update());
  step.notes.push_back(
      {true, std::string(reason::kSecretInUse),
       fmt::format("still needed by {}; it goes once the broker is deleted or has other credentials", text_of(users))});
  return step;
}

}  // namespace chandler::reconcilers
