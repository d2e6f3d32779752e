// The unit of budgets: the processor time of reading one byte of a text, as a plain parser does it.
#pragma once

#include <time.h>

namespace chandler::fuzz {

// Of this thread only: what other threads and processes do does not count.
inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// Measures the reference work: seconds per byte.
double measure_reference();

}  // namespace chandler::fuzz
