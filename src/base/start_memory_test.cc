#include "base/start_memory.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace chandler {
namespace {

TEST(StartMemory, WhatIsLetGoOfComesBackWhenItIsUsed) {
  std::vector<int> data(100'000);
  std::iota(data.begin(), data.end(), 1);
  EXPECT_GT(release_start_memory(), 0u) << "this program's own code, at least";
  // Code and data work as before, and again after it was done twice.
  EXPECT_EQ(std::accumulate(data.begin(), data.end(), int64_t{0}), 5'000'050'000);
  release_start_memory();
  EXPECT_EQ(std::accumulate(data.rbegin(), data.rend(), int64_t{0}), 5'000'050'000);
}

}  // namespace
}  // namespace chandler
