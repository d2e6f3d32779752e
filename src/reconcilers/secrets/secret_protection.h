// Keeps a secret that a broker logs in with until the broker is gone: whoever uses it adds the finalizer, SecretKeeper
// takes it off. Pure.
#pragma once

#include <optional>

#include "client/api.h"

namespace chandler::reconcilers {

inline constexpr std::string_view kSecretFinalizer = "servicecatalog.kubernetes.io/secret-protection";
// On a protected secret: who needs it, for people who wonder why it does not go.
inline constexpr std::string_view kSecretUsersAnnotation = "servicecatalog.kubernetes.io/used-by";

// The write that protects the secret; none when it is protected, being deleted or absent.
std::optional<client::Write> protect_secret(const client::Object& secret);

}  // namespace chandler::reconcilers
