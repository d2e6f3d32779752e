// What a CustomResourceDefinition must have so that its objects can be claims: the fields in which the controller
// writes down what it decides. Without them they would be dropped, and the claim would be worked on for ever. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/object.h"

namespace chandler::reconcilers::claims {

// Paths that are missing; empty when all is there.
std::vector<std::string> missing_claim_fields(const client::Object& definition);

}  // namespace chandler::reconcilers::claims
