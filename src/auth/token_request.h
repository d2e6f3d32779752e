// The serviceaccounts/token subresource: checks a TokenRequest and answers it with a token. Pure over its arguments.
#pragma once

#include "auth/service_account_tokens.h"

namespace chandler::auth {

// `request` is the document that was posted for the service account ns/name. BadRequest when it is of another kind or
// for another namespace, or cannot be read; Invalid when it names another account, and for bad values; NotFound when
// the account or the object to bind to is missing, Conflict when that has another uid than the request says.
Result<json::Value> answer_token_request(const json::Value& request, std::string_view ns, std::string_view name,
                                         const ServiceAccountTokens& tokens, const ServiceAccountLookup& lookup,
                                         WallTime now);

}  // namespace chandler::auth
