// Keeps secrets that somebody still needs: whoever is about to use one adds a finalizer, SecretKeeper takes it off.
//   - What a broker logs in with is kept until no broker names it any more.
//   - What an instance or binding reads (parametersFrom, addKeysFrom) is kept, once somebody deletes it, until whoever
//     names it is gone or names it no more. As with volume claims, the finalizer stays on a secret that nobody deletes:
//     so its users need to be looked for only then.
// Only secrets in the namespace of their user are kept, and only if the user on whose behalf they are read may read
// them: nobody can hold up a secret, or a namespace, that is none of their business. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "client/api.h"
#include "controller/view.h"

namespace chandler::reconcilers {

// Of brokers; of instances and bindings.
inline constexpr std::string_view kSecretFinalizer = "servicecatalog.kubernetes.io/secret-protection";
inline constexpr std::string_view kParameterSecretFinalizer = "servicecatalog.kubernetes.io/parameters-protection";
// On a protected secret: who needs it, for people who wonder why it does not go.
inline constexpr std::string_view kSecretUsersAnnotation = "servicecatalog.kubernetes.io/used-by";

// The write that protects the secret; none when it is protected, being deleted or absent.
std::optional<client::Write> protect_secret(const client::Object& secret,
                                            std::string_view finalizer = kSecretFinalizer);

// Secrets of its own namespace that the spec of an instance or binding names.
std::set<std::string> named_secrets(const client::Object& user);
// The step that protects them, before they are read for a request; none when all are protected or absent.
std::optional<controller::Step> protect_secrets_of(const client::Object& user, controller::View& view);

}  // namespace chandler::reconcilers
