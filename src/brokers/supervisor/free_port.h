// Loopback ports for servers. Below the range from which outgoing connections take theirs, so that a server finds its
// port free again after a restart. Thread-safe.
#pragma once

#include <cstdint>
#include <set>

#include "base/result.h"

namespace chandler::brokers {

// A port on 127.0.0.1 that nobody listens on now and that is not in `taken`.
Result<uint16_t> free_port(const std::set<uint16_t>& taken);

}  // namespace chandler::brokers
