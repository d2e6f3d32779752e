// How much processor time a unit of a fuzz target may take: a fixed part and a part for each of its bytes. Both are
// stated as a number of bytes of the reference work in reference.h, which is measured in the same process. So a slow
// machine, a busy one and the sanitizers change the budget as they change the unit.
#pragma once

#include <cstddef>

namespace chandler::fuzz {

struct Budget {
  double fixed = 64 * 1024;
  double per_byte = 256;
  bool has_threads = false;  // then the process cannot be copied to measure a unit once more

  double of(size_t bytes) const { return fixed + per_byte * static_cast<double>(bytes); }
};

// A target that needs another budget defines this function and states the reason.
Budget target_budget();

}  // namespace chandler::fuzz
