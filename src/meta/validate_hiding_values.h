// Validation whose faults may be shown to anybody: for values that can be secret, such as the parameters of a service.
// Pure, thread-safe.
#pragma once

#include "json/value.h"
#include "meta/field_error.h"
#include "meta/schema.h"

namespace chandler::meta {

// As validate() without an old value, but every value in the messages is written as "", and faults of allOf, anyOf,
// oneOf and not are reported at the path of the value they are about. False when the schema leads in circles or costs
// too much to check; the faults found until then say nothing.
bool validate_hiding_values(const SchemaNode& schema, const json::Value& value, const Path& path, FieldErrors& errors);

}  // namespace chandler::meta
