// Identifiers of a simulation: this program brings its own base/ids.cc, so that they come from the seed, too.
#pragma once

#include <cstdint>

namespace chandler::simulation {

void seed_ids(uint64_t seed);

}  // namespace chandler::simulation
