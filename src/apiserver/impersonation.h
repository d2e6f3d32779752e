// Acting as somebody else: what the Impersonate-* headers ask for, and whether the one who asks may. The verb
// `impersonate` is needed on every single thing that is taken on: the user (or service account), each group, the uid
// and each value of extra; no group is free, system:masters least of all. Pure over the policy in force.
#pragma once

#include <optional>

#include "auth/policy.h"
#include "auth/user.h"
#include "base/result.h"
#include "http/message.h"

namespace chandler::apiserver {

// True when a header asks for it; without one there is nothing to decide.
bool asks_to_impersonate(const http::Headers& headers);

// The user that `requester` is to act as; nullopt when no header asks for it. Forbidden, in the words of an access
// denial, when a right is missing: for the user itself the error is about the request (`request`), for all else about
// what may not be taken on. BadRequest when headers name no user or are malformed.
Result<std::optional<auth::User>> impersonated_user(const http::Headers& headers, const auth::User& requester,
                                                    const auth::Policy& policy, const ObjectRef& request);

}  // namespace chandler::apiserver
