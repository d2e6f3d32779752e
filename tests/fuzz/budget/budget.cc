// Stands between libFuzzer and the target (the linker's --wrap): measures each unit and ends the process when one takes
// more than its budget, so that libFuzzer keeps it as a crash.
#include "fuzz/budget/budget.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "fuzz/budget/reference.h"
#include "fuzz/budget/slowest_units.h"

extern "C" {
int __real_LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int __wrap_LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
}

namespace chandler::fuzz {

[[gnu::weak]] Budget target_budget() { return {}; }

namespace {

// libFuzzer's timer interrupts calls that wait.
template <typename Call>
auto unless_interrupted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// Calls `work` in a copy of this process and returns its result. Whatever the work changes, nothing changes here.
template <typename Work>
Cost in_child(const Work& work) {
  int ends[2];
  CH_CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  CH_CHECK(child >= 0);
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const Cost cost = work();
    CH_CHECK(write(ends[1], &cost, sizeof cost) == sizeof cost);
    _exit(0);
  }
  close(ends[1]);
  Cost cost;
  const auto got = unless_interrupted([&] { return read(ends[0], &cost, sizeof cost); });
  close(ends[0]);
  unless_interrupted([&] { return waitpid(child, nullptr, 0); });
  CH_CHECK(got == sizeof cost);  // else the unit fails when it is repeated
  return cost;
}

class Judge {
 public:
  int run(const uint8_t* data, size_t size) {
    const std::string_view unit(reinterpret_cast<const char*>(data), size);
    const double begin = processor_seconds();
    const int answer = __real_LLVMFuzzerTestOneInput(data, size);
    const Cost first = cost_of(unit, processor_seconds() - begin, reference_);
    if (first.share > 1 || (!folder_.empty() && slowest_.has_place_for(first, unit))) look_closely(unit, first);
    return answer;
  }

 private:
  static std::string folder() {
    const char* folder = std::getenv("FUZZ_SLOWEST");
    return folder == nullptr ? "" : folder;
  }

  Cost cost_of(std::string_view unit, double seconds, double reference) const {
    return {seconds, seconds / reference / budget_.of(unit.size())};
  }

  // A unit that looks slow is measured again, in a child process if that can be: the fuzzer goes on as if that had not
  // happened, so what a fixed run tries does not depend on the clock.
  void look_closely(std::string_view unit, const Cost& first) {
    const auto look = [&] {
      const Cost cost = measure_again(unit, first);
      if (!folder_.empty() && slowest_.has_place_for(cost, unit)) {
        slowest_.add(cost, unit);
        slowest_.write(folder_, unit);
      }
      return cost;
    };
    const Cost least = budget_.has_threads ? look() : in_child(look);
    if (least.share > 1) fail(unit.size(), least);
    if (slowest_.has_place_for(least, unit)) slowest_.add(least, unit);  // the child added it to its own list
  }

  // The least of several runs: the first may load tables, and another process may have emptied the caches.
  Cost measure_again(std::string_view unit, Cost least) const {
    constexpr int kRuns = 3;
    constexpr int kRunsBeforeFailure = 8;
    constexpr double kSurelyMore = 10;
    for (int run = 0; run < kRuns || (run < kRunsBeforeFailure && least.share > 1); ++run) {
      const double reference = measure_reference();
      const double begin = processor_seconds();
      __real_LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(unit.data()), unit.size());
      const Cost cost = cost_of(unit, processor_seconds() - begin, reference);
      if (cost.share < least.share) least = cost;
      if (run > 0 && least.share > kSurelyMore) break;
    }
    return least;
  }

  [[noreturn]] static void fail(size_t bytes, const Cost& cost) {
    fmt::print(stderr, "budget: this unit of {} bytes takes {:.3f} ms, {:.1f} times its budget of {:.3f} ms\n", bytes,
               cost.seconds * 1000, cost.share, cost.seconds * 1000 / cost.share);
    std::abort();
  }

  const Budget budget_ = target_budget();
  const double reference_ = measure_reference();
  const std::string folder_ = folder();
  SlowestUnits slowest_;
};

}  // namespace
}  // namespace chandler::fuzz

extern "C" int __wrap_LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static chandler::fuzz::Judge judge;
  return judge.run(data, size);
}
