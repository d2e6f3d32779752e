// The AdmissionReview (admission.k8s.io/v1) that a webhook is asked with. Pure.
#pragma once

#include <string>
#include <string_view>

#include "registry/reviewer.h"
#include "webhooks/hook_match.h"

namespace chandler::webhooks {

// A write as a webhook sees it. May hold secrets: for the webhook only.
struct Shown {
  json::Object request;  // all but the two
  json::Value object;    // null on a delete
  json::Value old;       // null on a create
};

// `form` is how the webhook wants to see the object.
Shown show(const registry::Review& review, const Form& form);

// The object of the write alone: what a webhook's patch is of.
json::Value show_object(const registry::Review& review, const Form& form);

// The JSON of the question. `uid` names it and is to come back with the answer.
std::string review_request(Shown shown, std::string_view uid);

}  // namespace chandler::webhooks
