// The Secret of a binding: whose it is, whether it still is what was written, and how it is written. A secret that the
// binding does not own is never touched.
#pragma once

#include <optional>
#include <string>

#include "client/api.h"
#include "controller/view.h"
#include "reconcilers/binding/binding_view.h"
#include "reconcilers/catalog/problem.h"

namespace chandler::reconcilers {

bool owns(const BindingView& binding, const client::Object& secret);

// The secret holds what the broker answered to the request under way, as the spec wants it now.
bool delivered(const BindingView& binding, const client::Object& secret);
// Its data is what was written, not edited since.
bool intact(const client::Object& secret);

// The write that brings the credentials into the secret, transformed. A problem: the name belongs to somebody else, a
// transform does not work, or whoever asked may not read a secret that a transform names.
Found<client::Write> deliver(const BindingView& binding, const json::Value& credentials, controller::View& view);

// The deletion of the secret that was written under a former name, which has had its time; nullopt when there is none.
std::optional<client::Write> former_secret(const BindingView& binding, controller::View& view);

// Why the credentials could not be delivered to this name; nullopt when nothing is in the way.
std::optional<Problem> obstacle(const BindingView& binding, controller::View& view);

}  // namespace chandler::reconcilers
