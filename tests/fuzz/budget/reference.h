// The unit of budgets: the processor time of reading one byte of a text, as a plain parser does it.
#pragma once

#include <time.h>

namespace chandler::fuzz {

// Of all threads of this process, since a target may hand its work to another; other processes do not count.
inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// Measures the reference work: seconds per byte.
double measure_reference();

}  // namespace chandler::fuzz
