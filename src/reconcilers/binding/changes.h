// How the status of a binding changes when something has happened at the broker. Each function changes the status and
// nothing else.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "json/value.h"
#include "reconcilers/binding/binding_view.h"
#include "reconcilers/catalog/settings.h"

namespace chandler::reconcilers {

inline constexpr std::string_view kBoundMessage = "The binding was injected successfully";

void note_bound(json::Object& status, const BindingView& binding, WallTime now);
// expires_at and renew_before of an answer.
void note_validity(json::Object& status, const json::Value& body);
void note_unbound(json::Object& status, WallTime now);
// The broker refused: rests until somebody deletes it and makes another.
void note_refused(json::Object& status, const BindingView& binding, std::string_view failed_reason,
                  std::string_view message, WallTime now);
void note_cleaned_up(json::Object& status, const BindingView& binding, const Settings& settings, WallTime now);

}  // namespace chandler::reconcilers
