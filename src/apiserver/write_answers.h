// What create, update and patch share: checks of the body against the URL, and the stored form of a request.
#pragma once

#include <functional>
#include <memory>

#include "apiserver/call.h"
#include "base/result.h"
#include "json/value.h"

namespace chandler::apiserver {

// The body's namespace is empty or that of the URL.
Result<void> check_namespace(const Call& call, const json::Value& object);
// The body's name is that of the URL.
Result<void> check_name(const Call& call, const json::Value& object);

// For WriteRequest::may_create: whether `user` may create the object of the URL, asked when an update finds none.
std::function<Result<void>()> creation_check(const Services& services, const Call& call,
                                             std::shared_ptr<const auth::User> user);

// A kind that is stored as another one (events.k8s.io) is written as that one: request.kind and version are replaced...
void use_stored_kind(const Services& services, registry::WriteRequest& request);
// ...and the object is translated, from the form of the URL to the form that is stored.
json::Value to_stored_form(const Call& call, json::Value object);

// Server-side apply: whether a PATCH is one, the faults of its query, and whether it takes fields from others.
bool is_apply(const Call& call);
Result<void> check_apply_options(const Call& call);
bool is_forced(const Call& call);

}  // namespace chandler::apiserver
