// Where a webhook is. A URL says it; a Service does if it leads out of this server: nothing here runs pods, so there
// are no endpoints to choose from. In this order: spec.externalName, the first of spec.externalIPs, spec.clusterIP.
// Pure but for the look-up.
#pragma once

#include <string>

#include "admission/lookup.h"
#include "base/result.h"
#include "webhooks/hook.h"

namespace chandler::webhooks {

// The URL to call, or a sentence that says why there is none.
Result<std::string, std::string> hook_url(const Hook& hook, const admission::Lookup& lookup);

}  // namespace chandler::webhooks
