// What a table of Scales shows; src/registry/scale_conversion.h makes them.
#pragma once

#include "registry/kind.h"

namespace chandler::apiserver {

const registry::Version& scale_columns();

}  // namespace chandler::apiserver
