#include "reconcilers/secrets/secret_protection.h"

#include "reconcilers/catalog/document.h"
#include "reconcilers/catalog/kinds.h"

namespace chandler::reconcilers {

std::optional<client::Write> protect_secret(const client::Object& secret) {
  if (!secret || secret.deleting() || has_finalizer(secret, kSecretFinalizer)) return std::nullopt;
  Draft draft(kSecrets, secret);
  draft.add_finalizer(kSecretFinalizer);
  return std::move(draft).update();
}

}  // namespace chandler::reconcilers
