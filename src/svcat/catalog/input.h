// What users type as values: parameters, secrets, transforms. Faults are usage errors that show the right form and
// never the value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "svcat/call.h"

namespace chandler::svcat {

// A JSON object as text, or @FILE with JSON or YAML. `flag` is named in errors.
Result<json::Value> read_object(std::string_view flag, const std::string& text);

// --param and --params-json: an object, empty when neither is given.
Result<json::Object> read_parameters(const Call& call);
// --secret SECRET[KEY]: as spec.parametersFrom.
Result<json::Array> read_parameters_from(const Call& call);
// --secret-transform, checked: as spec.secretTransform.
Result<json::Array> read_transforms(const Call& call);

// Puts the defaults that the flags of `set` and `create` give into the spec of a class or plan. Returns the names of
// the fields that were set or removed.
Result<std::vector<std::string>> write_defaults(const Call& call, json::Object& spec);

}  // namespace chandler::svcat
