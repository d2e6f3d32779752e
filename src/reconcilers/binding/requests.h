// What the broker is sent about a binding. Pure.
#pragma once

#include "osb/call.h"
#include "reconcilers/binding/binding_view.h"
#include "reconcilers/catalog/settings.h"

namespace chandler::reconcilers {

// `space` is the uid of the namespace; `async`: the broker may take its time, because the binding can be fetched later.
osb::Call bind_call(const BindingView& binding, const json::Value& parameters, std::string_view space, bool async,
                    const Settings& settings);
osb::Call unbind_call(const BindingView& binding);
osb::Call poll_call(const BindingView& binding);
osb::Call get_call(const BindingView& binding);

}  // namespace chandler::reconcilers
