// The measure that all tests of cost rely on: it must refuse quadratic work and let the rest pass.
#include "support/growth.h"

#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace chandler::cost {
namespace {

using ::chandler::testing::Growth;
using ::chandler::testing::is_linear;

// Additions that the compiler cannot leave out.
Growth::Work additions(size_t count) {
  return [count] {
    volatile uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i) sum = sum + i;
  };
}

TEST(Growth, OfQuadraticWorkIsRefused) {
  if (Growth::kIsSanitized) GTEST_SKIP() << "sanitized work gets no verdict";
  EXPECT_FALSE(is_linear(2'000, [](size_t n) { return additions(n * n / 4); }));
}

TEST(Growth, OfAQuadraticPartBesideALinearOneIsRefused) {
  if (Growth::kIsSanitized) GTEST_SKIP() << "sanitized work gets no verdict";
  // As much of one as of the other at 2n.
  EXPECT_FALSE(is_linear(8'000, [](size_t n) { return additions(2'000 * n + n * n); }));
}

TEST(Growth, OfLinearWorkPasses) {
  EXPECT_TRUE(is_linear(80'000, [](size_t n) { return additions(10 * n); }));
}

TEST(Growth, OfWorkThatDoesLittleWithMuchMemoryPassesWithColdCaches) {
  const auto prepare = [](size_t n) -> Growth::Work {
    auto values = std::make_shared<std::vector<uint64_t>>(n, 1);
    return [values] {
      volatile uint64_t sum = 0;
      sum = std::accumulate(values->begin(), values->end(), sum);
    };
  };
  EXPECT_TRUE(is_linear(16'000'000, prepare, Growth::Caches::kCold));
}

}  // namespace
}  // namespace chandler::cost
