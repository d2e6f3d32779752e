// The operations on credentials that bindings, and the defaults of classes and plans, list. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "admission/catalog_requester.h"
#include "admission/rules.h"

namespace chandler::admission {

// Faults in the list `field` of the object's spec that the schema does not see.
void check_transforms(const json::Value& object, std::string_view field, meta::FieldErrors& errors);

// The secrets that its addKeysFrom entries copy from. One without a namespace is in that of the binding: for an object
// of the cluster nobody can know yet which, so it is left out, and looked at when a binding uses it.
std::vector<SecretUse> transform_secrets(const json::Value& object, std::string_view field);

}  // namespace chandler::admission
