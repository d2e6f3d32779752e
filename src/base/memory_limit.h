// How much memory this process may use: that of the machine, or less if a cgroup or a resource limit says so.
#pragma once

#include <cstdint>
#include <string>

namespace chandler {

struct MemoryLimit {
  uint64_t bytes = 0;
  std::string source;  // "cgroup memory.max", for the operator
};

// `root` is put before the paths of /proc and /sys; tests have their own.
MemoryLimit memory_limit(const std::string& root = {});

}  // namespace chandler
