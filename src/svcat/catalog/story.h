// The parts of `explain` and `describe` that nouns share: what the broker was sent and said, conditions, events, and
// what happens next.
#pragma once

#include <string>

#include "svcat/call.h"
#include "svcat/output/details.h"

namespace chandler::svcat {

// One line of prose: what is going on.
std::string headline(const Kind& kind, const json::Value& object);
void tell_choice(Details& details, const json::Value& resolution);
// Each parameter with its source, from the status.
void tell_parameters(Call& call, Details& details, const json::Value& object, std::string_view user_layer);
// Requests under way and carried out, conditions.
void tell_broker(Call& call, Details& details, const json::Value& object);
void tell_conditions(Call& call, const json::Value& object);  // a table; nothing when there are none
Result<void> tell_events(Call& call, Details& details, const Kind& kind, const json::Value& object);
void tell_next(Call& call, Details& details, const Kind& kind, const json::Value& object);

}  // namespace chandler::svcat
