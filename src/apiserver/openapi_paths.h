// The paths of an OpenAPI document: what requests each kind takes, in either dialect. Pure.
#pragma once

#include "apiserver/openapi_schemas.h"
#include "base/result.h"
#include "json/value.h"
#include "registry/kind.h"

namespace chandler::apiserver {

// Adds the paths of a kind to `out`, and to `schemas` what they refer to beside the kind itself.
Result<void> add_paths(const registry::Kind& kind, const registry::Version& version, SchemaSet& schemas,
                       json::Object& out);

}  // namespace chandler::apiserver
