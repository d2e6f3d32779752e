// Changing defaults of classes and plans, and making copies of them with defaults of their own.
#pragma once

#include <string>
#include <vector>

#include "svcat/catalog/scopes.h"

namespace chandler::svcat {

// A warning for each of these fields of the spec that the broker provides and that get another value: the next read of
// its catalog overwrites it.
void warn_about_broker(Call& call, const json::Value& offer, const std::vector<std::string>& fields,
                       const json::Object& wanted);

// A copy that no broker manages, under a new name, for this place. The broker and its identifiers stay, for the broker
// must be sent them.
Result<json::Object> copy_of(const json::Value& offer, const std::string& name, const Place& place);

}  // namespace chandler::svcat
