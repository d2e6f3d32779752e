// How the cost of some work grows with the size of its input, for tests that keep it in proportion: the work runs on
// inputs of n, 2n, 4n and 8n, and processor time is compared, never with a limit in seconds. Time that other processes
// take does not count, the least of several runs does, and a verdict against the code is measured again before it
// stands, so a busy machine makes such a test slower, not red. Sanitizers add costs that grow in steps (shadow memory,
// large blocks from the system): built with one, each work runs once and there is no verdict.
#pragma once

#include <malloc.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace chandler::testing {

class Growth {
 public:
  // From n to 8n linear work takes 8 times as long, sorting 10 times, quadratic work 64 times. A little more than
  // linear is allowed, because larger inputs leave the processor's caches, and because small ones may find theirs
  // filled by the work that ran before.
  static constexpr double kMostOverall = 22;
  // From 4n to 8n: linear 2, quadratic 4. Here a fixed cost no longer hides a quadratic part. Linear work has been seen
  // at 3.0, where objects of 8n lay unfavourably in memory.
  static constexpr double kMostAtTheEnd = 3.2;

  // What the processor's caches hold when the work begins. Most work computes enough that it does not matter. Work that
  // does little with much memory begins with cold caches: warm ones hold all of a small input and little of a large
  // one, and that looks like growth.
  enum class Caches { kWarm, kCold };

  // `prepare(size)` returns the work on a new input of that size. The work can be repeated; preparing is not measured.
  // `largest` is 8n, and should be the most that the limits of the server let through.
  using Work = std::function<void()>;
  static Growth measure(size_t largest, const std::function<Work(size_t size)>& prepare,
                        Caches caches = Caches::kWarm) {
    constexpr int kRounds = 40;  // a verdict against the code takes many, and so outlasts what others do to the caches
    constexpr int kPrepareAgain = 20;  // and new inputs, as where these lie in memory counts too
    keep_memory();
    Growth growth;
    growth.caches_ = caches;
    std::array<Work, 4> work;
    for (size_t i = 0; i < work.size(); ++i) {
      growth.sizes_[i] = largest >> (work.size() - 1 - i);
      work[i] = prepare(growth.sizes_[i]);
      if constexpr (kIsSanitized) work[i]();
    }
    if constexpr (kIsSanitized) return growth;
    for (int round = 0; round < kRounds; ++round) {
      if (round == kPrepareAgain) {
        for (size_t i = 0; i < work.size(); ++i) work[i] = prepare(growth.sizes_[i]);
      }
      for (size_t i = 0; i < work.size(); ++i) growth.sample(i, work[i]);
      if (round >= 1 && growth.is_linear()) break;
      if (round >= 2 && growth.is_surely_more()) break;
    }
    return growth;
  }

  bool is_linear() const { return overall() <= kMostOverall && at_the_end() <= kMostAtTheEnd; }
  // So far beyond the bounds that no further sample will change it.
  bool is_surely_more() const { return overall() > 2 * kMostOverall && at_the_end() > 1.1 * kMostAtTheEnd; }
  double overall() const { return seconds_[3] / seconds_[0]; }
  double at_the_end() const { return seconds_[3] / seconds_[2]; }

  // "1000: 0.21 ms, 2000: 0.43 ms, 4000: 0.88 ms, 8000: 1.80 ms"
  std::string str() const {
    std::string out;
    for (size_t i = 0; i < sizes_.size(); ++i) {
      out += fmt::format("{}{}: {:.3f} ms", out.empty() ? "" : ", ", sizes_[i], seconds_[i] * 1000);
    }
    return out;
  }

#ifdef CHANDLER_SANITIZED
  static constexpr bool kIsSanitized = true;
#else
  static constexpr bool kIsSanitized = false;
#endif

 private:
  static double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
  }

  // Large blocks that the allocator returns to the system cost a page fault for every 4 KiB when they are needed again,
  // and only the largest input reaches the size at which it returns them.
  static void keep_memory() {
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
  }

  // Replaces what the caches hold: goes over more memory than they have.
  static void empty_caches() {
    constexpr size_t kLine = 64;
    // Some systems do not say, and some add up the caches of processors that are not ours.
    const auto shared_cache = static_cast<size_t>(std::clamp(sysconf(_SC_LEVEL3_CACHE_SIZE), 32L << 20, 64L << 20));
    static std::vector<char> others(2 * shared_cache);
    for (size_t at = 0; at < others.size(); at += kLine) {
      volatile char* const line = &others[at];
      *line = static_cast<char>(*line + 1);
    }
  }

  // Short work is repeated until the clock can tell its length. With cold caches it must be long enough by itself.
  void sample(size_t index, const Work& work) {
    if (caches_ == Caches::kCold) empty_caches();
    constexpr double kLongEnough = 0.003;
    constexpr int kMostRepeats = 1000;
    const double begin = processor_seconds();
    double spent = 0;
    int runs = 0;
    do {
      work();
      ++runs;
      spent = processor_seconds() - begin;
    } while (caches_ == Caches::kWarm && spent < kLongEnough && runs < kMostRepeats);
    seconds_[index] = std::min(seconds_[index], spent / runs);
  }

  Caches caches_ = Caches::kWarm;
  std::array<size_t, 4> sizes_{};
  std::array<double, 4> seconds_{1e9, 1e9, 1e9, 1e9};  // the least so far
};

// EXPECT_TRUE(is_linear(8000, prepare)); a failure shows what was measured.
inline ::testing::AssertionResult is_linear(size_t largest, const std::function<Growth::Work(size_t size)>& prepare,
                                            Growth::Caches caches = Growth::Caches::kWarm) {
  const auto growth = Growth::measure(largest, prepare, caches);
  if (growth.is_linear()) return ::testing::AssertionSuccess() << growth.str();
  return ::testing::AssertionFailure() << "the work grows faster than its input: " << growth.str();
}

}  // namespace chandler::testing
