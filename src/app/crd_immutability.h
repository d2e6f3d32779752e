// Fields that may not change, as rules in the schema of an exported kind. Here the registry keeps them; a cluster that
// only has the CustomResourceDefinition keeps what its schema says. Pure.
#pragma once

#include "json/value.h"
#include "registry/kind.h"

namespace chandler::app {

// Writes them into every version of the definition that has the fields.
void add_immutability(json::Value& definition, const registry::Kind& kind);

}  // namespace chandler::app
