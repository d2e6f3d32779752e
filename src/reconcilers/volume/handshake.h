// Binding a claim and a volume to each other: four writes, of which a crash may leave any number undone. What is
// missing is worked out from what is stored, so the same function begins, completes and confirms a binding. Pure.
#pragma once

#include "client/object.h"
#include "controller/step.h"

namespace chandler::reconcilers {

// The volume names the claim, the volume's status follows, the claim names the volume, the claim's status follows.
// Nothing to write: they are bound.
controller::Step bind(const client::Object& claim, const client::Object& volume);

// The status of the volume alone; no write when that is what it says.
controller::Step set_phase(const client::Object& volume, std::string_view phase, std::string_view reason,
                           std::string_view message);

}  // namespace chandler::reconcilers
