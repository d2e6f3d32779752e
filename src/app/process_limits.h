// Resource limits of this process: raised as far as they may be, and named with what to do when they are small.
#pragma once

#include <cstddef>

#include "base/result.h"

namespace chandler::app {

// How many file descriptors remain for connections when `limit` is allowed.
size_t connections_within(size_t limit);

// Raises RLIMIT_NOFILE to the hard limit; an error when that leaves none for connections.
Result<void> raise_file_limit();

// Logs the limits that may stand in the way of a server later: descriptors, when not all of the `wanted` connections
// fit, and those on files and memory.
void report_limits(size_t wanted);

}  // namespace chandler::app
