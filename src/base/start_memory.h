// Memory that only starting took. Embedded kinds are parsed, keys are made, libraries set themselves up; then most of
// that code and its scratch space are never used again, and count as this process's memory all the same.
#pragma once

#include <cstddef>

namespace chandler {

// Gives free heap back to the system, and unmaps pages of code, which come back one by one when they are run again.
// Once, at the end of start-up. Returns how many bytes of code were let go of, whether they were resident or not.
size_t release_start_memory();

}  // namespace chandler
