// A small workload to try things on. Pure.
#pragma once

#include "svcat/catalog/discovery.h"

namespace chandler::svcat {

// A known one for the kinds of Kubernetes, otherwise made of what the schema requires; without a name. `document` is
// OpenAPI 3, or null.
json::Value sample_workload(const DiscoveredKind& kind, const json::Value& document);

}  // namespace chandler::svcat
