// From flags to an authenticator for tokens of an OpenID Connect issuer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/access_options.h"
#include "auth/oidc_tokens.h"
#include "http/client.h"

namespace chandler::app {

// What is wrong with the flags, or the settings that they mean.
Result<auth::OidcSettings> oidc_settings(const OidcOptions& options);

// `options` name an issuer. Its keys are asked for at once and nobody waits for them: an issuer that is down must not
// keep the server from starting. `client` and `clock` outlive it.
Result<std::shared_ptr<auth::OidcTokens>> make_oidc_tokens(const OidcOptions& options, http::Client& client,
                                                           const std::vector<std::string>& own_audiences,
                                                           const Clock& clock);

}  // namespace chandler::app
