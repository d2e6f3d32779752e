// Events are served under two names, v1 and events.k8s.io/v1, and stored once, in the v1 form. These two functions
// translate; every field of one form has its place in the other.
#pragma once

#include "json/value.h"

namespace chandler::registry {

json::Value event_from_core(json::Value event);  // v1 -> events.k8s.io/v1
json::Value event_to_core(json::Value event);    // events.k8s.io/v1 -> v1

}  // namespace chandler::registry
