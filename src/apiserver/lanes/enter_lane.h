// How handlers get into their lane. The seat is a member of the call and is given back with its answer.
#pragma once

#include "apiserver/call.h"
#include "apiserver/lanes/lanes.h"

namespace chandler::apiserver {

// Writes with bodies up to this size are prepared on the I/O thread: handing them to the pool would cost more than they
// do.
inline constexpr size_t kSmallBody = size_t{8} * 1024;

// Runs handler(services, call): at once if there is a seat, else later on the connection's own thread, or answers 429.
void run_write(const Services& services, const CallPtr& call, void (*handler)(const Services&, const CallPtr&));

// Runs `work` on the pool: at once or when there are seats, or answers 429. `width`: how many seats it takes.
void run_heavy(const Services& services, const CallPtr& call, uint32_t width, std::function<void()> work);

}  // namespace chandler::apiserver
