// How requests get into their lane. Seats are members of the call and are given back with its answer at the latest.
#pragma once

#include "apiserver/call.h"
#include "apiserver/lanes/lanes.h"

namespace chandler::apiserver {

// Bodies and objects up to this size are read on the I/O thread: handing them to the pool would cost more than reading
// them does.
inline constexpr size_t kSmall = size_t{8} * 1024;

using Handler = void (*)(const Services&, const CallPtr&);

// Runs `work`, which reads the body of the call or the object that it names: little at once, much on the pool when
// there are as many seats as its size takes, or answers 429.
void run_by_size(const Services& services, const CallPtr& call, std::function<void()> work);

// Runs the handler of a write: at once if there is a seat, else later, as run_by_size() does, or answers 429.
void run_write(const Services& services, const CallPtr& call, Handler handler);

// Runs `work` on the pool: at once or when there are seats, or answers 429. `width`: how many seats it takes.
void run_heavy(const Services& services, const CallPtr& call, uint32_t width, std::function<void()> work);

}  // namespace chandler::apiserver
