#include "reconcilers/secrets/secret_keeper.h"

#include <fmt/format.h>

#include "base/text.h"
#include "reconcilers/broker/broker_reasons.h"
#include "reconcilers/broker/broker_view.h"
#include "reconcilers/catalog/parameters.h"
#include "reconcilers/secrets/secret_protection.h"

namespace chandler::reconcilers {
namespace {

constexpr size_t kUsersShown = 5;

// There are few brokers, and few secrets for which this is asked.
std::vector<std::string> brokers_with(const client::Object& secret, controller::View& view) {
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

// Instances and bindings, of this namespace; asked only for secrets that somebody wants to be rid of.
std::vector<std::string> readers_of(const client::Object& secret, controller::View& view) {
  std::vector<std::string> users;
  for (const auto& kind : {kInstances, kBindings}) {
    for (const auto& user : view.list(kind, {std::string(secret.ns()), {}})) {
      if (!named_secrets(user).contains(std::string(secret.name()))) continue;
      const auto access = check_secret_access(spec_of(user), secret.ns(), secret.name(), view);
      if (!access.ok() && !access.error().reason.empty()) continue;  // it cannot be read on its behalf
      users.push_back(fmt::format("{} {}", kind == kInstances ? "ServiceInstance" : "ServiceBinding", user.name()));
    }
  }
  return users;
}

// Without a number: it would be another text with every user that goes.
std::string text_of(std::vector<std::string> users) {
  const auto count = users.size();
  if (count <= kUsersShown) return join(users, ", ");
  users.resize(kUsersShown);
  return fmt::format("{} and others", join(users, ", "));
}

}  // namespace

std::vector<client::KindName> SecretKeeper::kinds() const { return {kSecrets}; }

std::vector<client::KindName> SecretKeeper::reads() const { return {kClusterBrokers, kBrokers, kInstances, kBindings}; }

controller::Step SecretKeeper::reconcile(const client::KindName& kind, const client::Object& secret,
                                         controller::View& view) const {
  if (!needs_look(kind, secret)) return controller::Step::done();
  const bool is_for_brokers = has_finalizer(secret, kSecretFinalizer);
  const bool is_for_readers = secret.deleting() && has_finalizer(secret, kParameterSecretFinalizer);
  if (!is_for_brokers && !is_for_readers) return controller::Step::done();

  Draft draft(kind, secret);
  std::vector<std::string> users;
  if (is_for_brokers) users = brokers_with(secret, view);
  if (is_for_brokers && users.empty()) draft.remove_finalizer(kSecretFinalizer);
  if (is_for_readers) {
    auto readers = readers_of(secret, view);
    if (readers.empty()) draft.remove_finalizer(kParameterSecretFinalizer);
    for (auto& reader : readers) users.push_back(std::move(reader));
  }
  // Only a secret that somebody wants to be rid of has to explain itself.
  const auto told = annotation_of(secret, kSecretUsersAnnotation);
  const auto wanted = secret.deleting() ? text_of(users) : std::string();
  if (told != wanted) {
    draft.set_annotation(kSecretUsersAnnotation,
                         wanted.empty() ? std::nullopt : std::optional<std::string_view>(wanted));
  }
  if (!draft.changed()) return controller::Step::done();
  auto step = controller::Step::write(std::move(draft).update());
  if (told != wanted && !wanted.empty()) {
    step.notes.push_back(
        {true, std::string(reason::kSecretInUse),
         fmt::format("still needed by {}; it goes once they are deleted or use another secret", wanted)});
  }
  return step;
}

}  // namespace chandler::reconcilers
