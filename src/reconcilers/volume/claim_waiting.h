// Why a claim waits, where people look: a condition in its status and an Event, told once per reason. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "client/object.h"
#include "controller/step.h"

namespace chandler::reconcilers {

struct Waiting {
  std::string_view event;  // reason of the Event: "ProvisioningFailed"
  std::string reason;      // of the condition; that of the Event when empty
  std::string message;
  bool warning = true;
};

// The condition Bound=False and the Event; nothing when the claim says so already.
controller::Step wait(const client::Object& claim, const Waiting& waiting, WallTime now);
// Adds the same to a step that does something else too.
void add_wait(controller::Step& step, const client::Object& claim, const Waiting& waiting, WallTime now);

void remove_waiting(json::Object& status);

}  // namespace chandler::reconcilers
