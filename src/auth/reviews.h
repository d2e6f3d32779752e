// The review APIs: questions to the server about users and rights, answered and never stored. Each function takes the
// document that was posted and gives the document to send back with 201. Pure over the policy in force.
#pragma once

#include <string_view>

#include "auth/authenticator.h"
#include "auth/policy.h"
#include "auth/user.h"
#include "base/clock.h"
#include "base/result.h"
#include "json/value.h"

namespace chandler::auth {

// authorization.k8s.io/v1
Result<json::Value> self_subject_access_review(const json::Value& request, const User& self, const Policy& policy);
Result<json::Value> subject_access_review(const json::Value& request, const Policy& policy);
Result<json::Value> local_subject_access_review(const json::Value& request, std::string_view ns, const Policy& policy);
Result<json::Value> self_subject_rules_review(const json::Value& request, const User& self, const Policy& policy);

// authentication.k8s.io/v1
json::Value self_subject_review(const User& self, WallTime now);
Result<json::Value> token_review(const json::Value& request, const Authenticator& tokens);

}  // namespace chandler::auth
