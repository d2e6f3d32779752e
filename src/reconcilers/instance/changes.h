// How the status of an instance changes when something has happened at the broker. Each function changes the status
// and nothing else.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "controller/step.h"
#include "json/value.h"
#include "osb/answer.h"
#include "reconcilers/catalog/settings.h"
#include "reconcilers/instance/instance_view.h"

namespace chandler::reconcilers {

// The broker did it: what was in progress is now what the broker has.
void note_provisioned(json::Object& status, const InstanceView& instance, WallTime now);
void note_updated(json::Object& status, const InstanceView& instance, WallTime now);
// An update ends without the broker having confirmed it: it may have been carried out, in whole or in part.
void note_unconfirmed(json::Object& status, const InstanceView& instance);
void note_deprovisioned(json::Object& status, WallTime now);

// The broker refused what was sent (status.observedGeneration): rests until the spec changes.
void note_refused(json::Object& status, const InstanceView& instance, std::string_view ready_reason,
                  std::string_view failed_reason, std::string_view message, WallTime now);

// What a failed request may have left is gone from the broker.
void note_cleaned_up(json::Object& status, const InstanceView& instance, const Settings& settings, WallTime now);

// dashboard_url of an answer; absent or null keeps the one we have. One that nobody should follow keeps it too, and is
// warned about.
std::vector<controller::Note> note_dashboard(json::Object& status, const osb::Answer& answer);

}  // namespace chandler::reconcilers
